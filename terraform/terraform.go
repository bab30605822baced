// Package terraform holds what Terraform declares and Go programs read.
package terraform

import _ "embed"

// Firestore is firestore.tf, which declares the indexes.
//
//go:embed firestore.tf
var Firestore string
