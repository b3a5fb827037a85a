//! The scripts that complete the command line in shells, written from the table of flags.
//!
//! They complete Lazuli's own names of flags, the values of flags that have few, and paths. Azurite's names work when they are typed.

use crate::config::arguments::COMMANDS;
use crate::config::flags::{Flag, FlagKind, SECTIONS, flags};
use crate::config::values::Shell;

/// What completes the value of a flag.
enum Completion {
    /// The flag has no value, or an optional one that nobody types.
    None,
    /// Nothing is known about the value, such as a port.
    Unknown,
    Words(&'static [&'static str]),
    Directory,
    File,
}

impl Completion {
    fn of(flag: &Flag) -> Completion {
        match (flag.kind, flag.word()) {
            (FlagKind::Switch | FlagKind::Command, _) => Completion::None,
            _ if !flag.values.is_empty() => Completion::Words(flag.values),
            (_, Some("DIR")) => Completion::Directory,
            (_, Some("FILE")) => Completion::File,
            _ => Completion::Unknown,
        }
    }
}

/// The script for a shell.
pub(super) fn script(shell: Shell) -> String {
    match shell {
        Shell::Bash => bash(),
        Shell::Zsh => zsh(),
        Shell::Fish => fish(),
        Shell::Pwsh => powershell(),
    }
}

/// The first part of a flag's description, which fits in a list.
fn summary(flag: &Flag) -> &'static str {
    let end = [": ", "; ", " ("].iter().filter_map(|end| flag.meaning.find(end)).min();
    flag.meaning.get(..end.unwrap_or(flag.meaning.len())).unwrap_or_default()
}

/// The flags with this kind of value, with all their names, as patterns of a shell's `case`.
fn pattern<'a>(flags: impl Iterator<Item = &'a Flag>) -> String {
    flags.flat_map(Flag::names).collect::<Vec<_>>().join("|")
}

fn bash() -> String {
    let names: Vec<String> = flags().map(|flag| format!("--{}", flag.name)).collect();
    let mut values = String::new();
    for flag in flags() {
        if let Completion::Words(words) = Completion::of(flag) {
            values += &format!(
                "        {}) COMPREPLY=($(compgen -W '{}' -- \"$word\")); return ;;\n",
                pattern(std::iter::once(flag)),
                words.join(" ")
            );
        }
    }
    let of = |wanted: fn(&Completion) -> bool| pattern(flags().filter(|flag| wanted(&Completion::of(flag))));
    format!(
        r#"# Completes the command line of lazuli in bash.
_lazuli() {{
    local word=${{COMP_WORDS[COMP_CWORD]}} before= IFS=$' \t\n'
    if ((COMP_CWORD > 0)); then before=${{COMP_WORDS[COMP_CWORD - 1]}}; fi
    # bash makes three words of --flag=value.
    if [[ $word == = ]]; then
        word=
    elif [[ $before == = ]] && ((COMP_CWORD > 1)); then
        before=${{COMP_WORDS[COMP_CWORD - 2]}}
    fi
    COMPREPLY=()
    case $before in
{values}        {directories}) compopt -o filenames 2>/dev/null; IFS=$'\n'; COMPREPLY=($(compgen -d -- "$word")); return ;;
        {files}) compopt -o filenames 2>/dev/null; IFS=$'\n'; COMPREPLY=($(compgen -f -- "$word")); return ;;
        {unknown}) return ;;
    esac
    if [[ $word == -* ]]; then
        COMPREPLY=($(compgen -W '{names}' -- "$word"))
    elif ((COMP_CWORD == 1)); then
        COMPREPLY=($(compgen -W '{words}' -- "$word"))
    fi
}}
complete -F _lazuli lazuli lazuli-storage
"#,
        directories = of(|completion| matches!(completion, Completion::Directory)),
        files = of(|completion| matches!(completion, Completion::File)),
        unknown = of(|completion| matches!(completion, Completion::Unknown)),
        names = names.join(" "),
        words = COMMANDS.join(" "),
    )
}

fn zsh() -> String {
    // In the descriptions of `_arguments`, brackets, colons and the quotes around them need a backslash or another form.
    let escaped = |text: &str| text.replace('\\', "\\\\").replace('[', "\\[").replace(']', "\\]").replace('\'', "'\\''");
    let mut specs = String::new();
    for flag in flags() {
        let (name, text) = (flag.name, escaped(summary(flag)));
        let value = match Completion::of(flag) {
            Completion::None => String::new(),
            Completion::Unknown => format!(":{}: ", flag.word().unwrap_or_default()),
            Completion::Words(words) => format!(":{}:({})", flag.word().unwrap_or_default(), words.join(" ")),
            Completion::Directory => ":DIR:_files -/".to_owned(),
            Completion::File => ":FILE:_files".to_owned(),
        };
        let equals = if value.is_empty() { "" } else { "=" };
        let again = if matches!(flag.kind, FlagKind::Values(_)) { "*" } else { "" };
        specs += &match flag.short {
            Some(short) => {
                format!("        '(-{short} --{name})'{{-{short},--{name}{equals}}}'[{text}]{value}' \\\n")
            }
            None => format!("        '{again}--{name}{equals}[{text}]{value}' \\\n"),
        };
    }
    format!(
        "#compdef lazuli lazuli-storage\n# Completes the command line of lazuli in zsh.\n_lazuli() {{\n    _arguments \\\n{specs}        '::command:({})'\n}}\n\n\
         # As a file of $fpath this is the function itself; sourced, it registers the function.\n\
         if [ \"$funcstack[1]\" = _lazuli ]; then\n    _lazuli \"$@\"\nelse\n    compdef _lazuli lazuli lazuli-storage\nfi\n",
        COMMANDS.join(" ")
    )
}

fn fish() -> String {
    let quoted = |text: &str| format!("'{}'", text.replace('\\', "\\\\").replace('\'', "\\'"));
    let mut text = "# Completes the command line of lazuli in fish.\ncomplete -c lazuli -f\n".to_owned();
    for word in COMMANDS {
        let meaning = flags().find(|flag| flag.name == word).map(summary).unwrap_or_default();
        text += &format!("complete -c lazuli -n __fish_is_first_arg -a {word} -d {}\n", quoted(meaning));
    }
    for section in SECTIONS {
        text += &format!("# {}\n", section.title);
        for flag in section.flags() {
            let short = flag.short.map_or(String::new(), |letter| format!(" -s {letter}"));
            let value = match Completion::of(flag) {
                Completion::None => String::new(),
                Completion::Unknown => " -x".to_owned(),
                Completion::Words(words) => format!(" -x -a '{}'", words.join(" ")),
                Completion::Directory => " -x -a '(__fish_complete_directories)'".to_owned(),
                Completion::File => " -r -F".to_owned(),
            };
            text += &format!("complete -c lazuli -l {}{short}{value} -d {}\n", flag.name, quoted(summary(flag)));
        }
    }
    text + "complete -c lazuli-storage -w lazuli\n"
}

fn powershell() -> String {
    let quoted = |text: &str| format!("'{}'", text.replace('\'', "''"));
    let (mut values, mut free, mut names) = (String::new(), Vec::new(), String::new());
    for flag in flags() {
        let name = format!("--{}", flag.name);
        match Completion::of(flag) {
            Completion::None => {}
            Completion::Words(words) => {
                let words: Vec<String> = words.iter().map(|word| quoted(word)).collect();
                values += &format!("        {} = @({})\n", quoted(&name), words.join(", "));
            }
            Completion::Unknown | Completion::Directory | Completion::File => {
                free.extend(flag.names().map(|name| quoted(&name)));
            }
        }
        names += &format!("        @({}, {})\n", quoted(&name), quoted(summary(flag)));
    }
    let words: Vec<String> = COMMANDS.iter().map(|word| quoted(word)).collect();
    format!(
        r#"# Completes the command line of lazuli in PowerShell.
Register-ArgumentCompleter -Native -CommandName 'lazuli', 'lazuli-storage' -ScriptBlock {{
    param($word, $command, $position)
    $values = @{{
{values}    }}
    # After these, PowerShell completes paths.
    $free = @({free})
    $flags = @(
{names}    )
    $before = @($command.CommandElements | Where-Object {{ $_.Extent.EndOffset -lt $position }} | ForEach-Object {{ $_.ToString() }})
    $previous = if ($before.Count -gt 0) {{ $before[-1] }} else {{ '' }}
    if ($free -ccontains $previous) {{ return }}
    if ($values.ContainsKey($previous)) {{
        $values[$previous] | Where-Object {{ $_ -like "$word*" }} | ForEach-Object {{
            [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)
        }}
        return
    }}
    if ($word -notlike '-*') {{
        if ($before.Count -le 1) {{
            {words} | Where-Object {{ $_ -like "$word*" }} | ForEach-Object {{
                [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)
            }}
        }}
        return
    }}
    $flags | Where-Object {{ $_[0] -like "$word*" }} | ForEach-Object {{
        [System.Management.Automation.CompletionResult]::new($_[0], $_[0], 'ParameterName', $_[1])
    }}
}}
"#,
        free = free.join(", "),
        words = words.join(", "),
    )
}
