//go:build !race

package barcode

// raceDetector reports the race detector, which makes everything several times slower.
const raceDetector = false
