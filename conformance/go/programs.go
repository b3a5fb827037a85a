//go:build tools

// Keeps in go.mod what programs of other suites import.
package conformance

import _ "github.com/Azure/azure-sdk-for-go/sdk/azidentity"
