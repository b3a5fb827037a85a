module github.com/lazuli-storage/lazuli/clients/go

go 1.21
