//go:build race

package barcode

// raceDetector slows everything down several times.
const raceDetector = true
