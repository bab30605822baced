// Package whatis has the functions Upload, Task and API where Google's buildpacks look for
// them, at the root of the module:
//
//	gcloud functions deploy whatis --gen2 --source . --entry-point Upload …
//
// Package function defines them. docs/upload.md says what this way of deploying lacks.
package whatis

import (
	// The buildpack looks here for this import, and then generates a program that serves
	// what is registered.
	_ "github.com/GoogleCloudPlatform/functions-framework-go/functions"

	_ "example.com/whatis/function"
)
