module lazuli/conformance/clients

go 1.21

require github.com/lazuli-storage/lazuli/clients/go v0.0.0

replace github.com/lazuli-storage/lazuli/clients/go => ../../../clients/go
