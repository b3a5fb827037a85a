//! Security descriptors: stored by a share, and named by their keys.

use super::check;

#[tokio::test]
async fn descriptors_are_stored_by_their_keys() {
    let sddl = "O:SYG:BAD:(A;;FA;;;SY)";
    // The DACL precedes owner and group, and the SACL is present with offset zero.
    let bytes = "AQAUgDAAAAA8AAAAAAAAABQAAAACABwAAQAAAAAAFAD/AR8AAQEAAAAAAAUSAAAAAQEAAAAAAAUSAAAAAQIAAAAAAAUgAAAAIAIAAA==";
    check(&format!(
        "PUT /shr?restype=share&comp=filepermission | | {{\"permission\": \"{sddl}\"}} → 201 | x-ms-file-permission-key: $k | {{}}
         GET /shr?restype=share&comp=filepermission | x-ms-file-permission-key: {{k}} → 200 | content-type: application/json | {{\"permission\":\"{sddl}S:NO_ACCESS_CONTROL\"}}
         GET /shr?restype=share&comp=filepermission | x-ms-file-permission-key: {{k}}; x-ms-file-permission-format: sddl → 200 | | {{\"permission\":\"{sddl}S:NO_ACCESS_CONTROL\",\"format\":\"sddl\"}}
         GET /shr?restype=share&comp=filepermission | x-ms-file-permission-key: {{k}}; x-ms-file-permission-format: binary → 200 | | {{\"permission\":\"{bytes}\",\"format\":\"binary\"}}
         GET /shr?restype=share&comp=filepermission | x-ms-file-permission-key: {{k}}; x-ms-file-permission-format: xml → 400 InvalidHeaderValue
         # the completed descriptor has the same key
         PUT /shr?restype=share&comp=filepermission | | {{\"permission\": \"{sddl}S:NO_ACCESS_CONTROL\"}} → 201 | x-ms-file-permission-key: {{k}}
         PUT /shr?restype=share&comp=filepermission | | {{\"permission\": \"{bytes}\", \"format\": \"Binary\"}} → 201 | x-ms-file-permission-key: {{k}}
         PUT /shr?restype=share&comp=filepermission | | {{\"permission\": \"AQAE\", \"format\": \"binary\"}} → 400 FileInvalidPermission
         GET /shr?restype=share&comp=filepermission | x-ms-file-permission-key: 1*2 → 404 ResourceNotFound
         GET /shr?restype=share&comp=filepermission | x-ms-file-permission-key: odd → 400 FileInvalidPermission
         GET /shr?restype=share&comp=filepermission → 400 MissingRequiredHeader
         PUT /shr?restype=share&comp=filepermission | | {{\"permission\": \"nonsense\"}} → 400 FileInvalidPermission | | ~The specified file permission is not valid.
         PUT /shr?restype=share&comp=filepermission | | nonsense → 400 InvalidInput
         PUT /shr?restype=share&comp=filepermission | | {{}} → 400 InvalidInput
         # set by text or by key, on files and directories
         PUT /shr/f | x-ms-type: file; x-ms-content-length: 1; x-ms-file-permission: {sddl} → 201 | x-ms-file-permission-key: {{k}}
         PUT /shr/b | x-ms-type: file; x-ms-content-length: 1; x-ms-file-permission: {bytes}; x-ms-file-permission-format: binary → 201 | x-ms-file-permission-key: {{k}}
         PUT /shr/d?restype=directory | x-ms-file-permission-key: {{k}} → 201 | x-ms-file-permission-key: {{k}}
         PUT /shr/g | x-ms-type: file; x-ms-content-length: 1; x-ms-file-permission-key: 1*2 → 400 FileInvalidPermission
         PUT /shr/g | x-ms-type: file; x-ms-content-length: 1; x-ms-file-permission: preserve → 400 InvalidHeaderValue
         PUT /shr/g | x-ms-type: file; x-ms-content-length: 1; x-ms-file-permission: inherit; x-ms-file-permission-key: {{k}} → 400 InvalidInput
         PUT /shr/g | x-ms-type: file; x-ms-content-length: 1; x-ms-file-permission: inherit → 201 | x-ms-file-permission-key: $i
         PUT /shr/f?comp=properties | x-ms-file-permission: inherit → 200 | x-ms-file-permission-key: {{i}}
         PUT /shr/f?comp=properties | x-ms-file-permission: preserve → 200 | x-ms-file-permission-key: {{i}}
         GET /shr?restype=share&comp=filepermission | x-ms-file-permission-key: {{i}} → 200 | | ~O:BAG:SY"
    ))
    .await;
}

/// The official SDKs' tests send this descriptor and compare the response byte for byte.
#[tokio::test]
async fn a_descriptor_is_returned_unchanged_in_either_format() {
    let sddl = "O:S-1-5-21-2127521184-1604012920-1887927527-21560751G:S-1-5-21-2127521184-1604012920-1887927527-513\
                D:AI(A;;FA;;;SY)(A;;FA;;;BA)(A;;0x1200a9;;;S-1-5-21-397955417-626881126-188441444-3053964)S:NO_ACCESS_CONTROL";
    let bytes = "AQAUhGwAAACIAAAAAAAAABQAAAACAFgAAwAAAAAAFAD/AR8AAQEAAAAAAAUSAAAAAAAYAP8BHwABAgAAAAAABSAAAAAgAgAAAAAkAKkAEgABBQAAAAAABRUA\
                 AABZUbgXZnJdJWRjOwuMmS4AAQUAAAAAAAUVAAAAoGXPfnhLm1/nfIdwr/1IAQEFAAAAAAAFFQAAAKBlz354S5tf53yHcAECAAA=";
    check(&format!(
        "PUT /shr?restype=share&comp=filepermission | | {{\"permission\": \"{bytes}\", \"format\": \"binary\"}} → 201 | x-ms-file-permission-key: $k
         GET /shr?restype=share&comp=filepermission | x-ms-file-permission-key: {{k}}; x-ms-file-permission-format: binary → 200 | | {{\"permission\":\"{bytes}\",\"format\":\"binary\"}}
         GET /shr?restype=share&comp=filepermission | x-ms-file-permission-key: {{k}}; x-ms-file-permission-format: sddl → 200 | | {{\"permission\":\"{sddl}\",\"format\":\"sddl\"}}
         PUT /shr?restype=share&comp=filepermission | | {{\"permission\": \"{sddl}\"}} → 201 | x-ms-file-permission-key: {{k}}"
    ))
    .await;
}
