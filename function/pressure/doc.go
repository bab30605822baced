// Package pressure holds no code, only tests of a served function's memory: crowds, slow
// clients and huge pictures at 512 MB.
//
//	clients → function, in a process of its own → emulated Firestore, model
package pressure
