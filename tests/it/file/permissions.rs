//! Security descriptors: kept by a share, named by their keys.

use super::check;

#[tokio::test]
async fn descriptors_are_kept_by_their_keys() {
    let sddl = "O:SYG:BAD:(A;;FA;;;SY)";
    let bytes = "AQAEgBQAAAAgAAAAAAAAADAAAAABAQAAAAAABRIAAAABAgAAAAAABSAAAAAgAgAAAgAcAAEAAAAAABQA/wEfAAEBAAAAAAAFEgAAAA==";
    check(&format!(
        "PUT /shr?restype=share&comp=filepermission | | {{\"permission\": \"{sddl}\"}} → 201 | x-ms-file-permission-key: $k | {{}}
         GET /shr?restype=share&comp=filepermission | x-ms-file-permission-key: {{k}} → 200 | content-type: application/json | {{\"permission\":\"{sddl}\"}}
         GET /shr?restype=share&comp=filepermission | x-ms-file-permission-key: {{k}}; x-ms-file-permission-format: sddl → 200 | | {{\"permission\":\"{sddl}\",\"format\":\"sddl\"}}
         GET /shr?restype=share&comp=filepermission | x-ms-file-permission-key: {{k}}; x-ms-file-permission-format: binary → 200 | | {{\"permission\":\"{bytes}\",\"format\":\"binary\"}}
         GET /shr?restype=share&comp=filepermission | x-ms-file-permission-key: {{k}}; x-ms-file-permission-format: xml → 400 InvalidHeaderValue
         PUT /shr?restype=share&comp=filepermission | | {{\"permission\": \"{bytes}\", \"format\": \"Binary\"}} → 201 | x-ms-file-permission-key: {{k}}
         PUT /shr?restype=share&comp=filepermission | | {{\"permission\": \"AQAE\", \"format\": \"binary\"}} → 400 FileInvalidPermission
         GET /shr?restype=share&comp=filepermission | x-ms-file-permission-key: 1*2 → 404 ResourceNotFound
         GET /shr?restype=share&comp=filepermission | x-ms-file-permission-key: odd → 400 FileInvalidPermission
         GET /shr?restype=share&comp=filepermission → 400 MissingRequiredHeader
         PUT /shr?restype=share&comp=filepermission | | {{\"permission\": \"nonsense\"}} → 400 FileInvalidPermission | | ~The specified file permission is not valid.
         PUT /shr?restype=share&comp=filepermission | | nonsense → 400 InvalidInput
         PUT /shr?restype=share&comp=filepermission | | {{}} → 400 InvalidInput
         # given by text or by key, to files and directories
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
