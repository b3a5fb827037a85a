//! The fields that an operation reads: headers and query parameters, by their names.

/// A header or query parameter that an operation reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    pub location: FieldLocation,
    /// The name in lower case. A name that ends in `-` is a prefix.
    pub name: &'static str,
    pub required: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldLocation {
    Header,
    Query,
}

/// A part of the input of an operation.
#[derive(Clone, Copy, Debug)]
pub enum Input {
    Field(Field),
    /// Optional headers.
    Headers(&'static [&'static str]),
    Group(&'static [Input]),
}

impl Input {
    /// An optional header.
    pub const fn header(name: &'static str) -> Input {
        Input::Field(Field { location: FieldLocation::Header, name, required: false })
    }

    /// An optional query parameter.
    pub const fn query(name: &'static str) -> Input {
        Input::Field(Field { location: FieldLocation::Query, name, required: false })
    }

    /// A header that the request must have.
    pub const fn required_header(name: &'static str) -> Input {
        Input::Field(Field { location: FieldLocation::Header, name, required: true })
    }

    /// A query parameter that the request must have.
    pub const fn required_query(name: &'static str) -> Input {
        Input::Field(Field { location: FieldLocation::Query, name, required: true })
    }

    /// Returns the field of this name, if there is one among these inputs.
    pub fn find(inputs: &'static [Input], name: &str) -> Option<Field> {
        inputs.iter().find_map(|input| match input {
            Input::Field(field) => (field.name == name).then_some(*field),
            Input::Headers(names) => names.iter().find(|header| **header == name).map(|header| optional_header(header)),
            Input::Group(group) => Input::find(group, name),
        })
    }
}

fn optional_header(name: &'static str) -> Field {
    Field { location: FieldLocation::Header, name, required: false }
}
