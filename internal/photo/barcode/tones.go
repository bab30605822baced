package barcode

// Limits for the area of a Data Matrix symbol.
const (
	evenest = 0.25 // smallest part that is dark, and that is bright
	bimodal = 0.72 // part of the variance that is between dark and bright
)

// twoTone reports whether p within b consists of dark and bright pixels in similar parts
// with little between, as a symbol does (Otsu's threshold measure).
func (p plane) twoTone(b box) bool {
	var counts [64]float32
	n := float32(0)
	step := max(2, int(max(b.x1-b.x0, b.y1-b.y0))/48)
	for y := int(b.y0); y < min(int(b.y1), p.height); y += step {
		for x := int(b.x0); x < min(int(b.x1), p.width); x += step {
			counts[p.pix[y*p.width+x]/4]++
			n++
		}
	}
	var sum, squares float32
	for v, c := range counts {
		sum, squares = sum+c*float32(v), squares+c*float32(v*v)
	}
	if n == 0 {
		return false
	}
	mean := sum / n
	all := squares/n - mean*mean
	var dark, darkSum, between, part float32
	for v, c := range counts {
		dark, darkSum = dark+c, darkSum+c*float32(v)
		if dark == 0 || dark == n {
			continue
		}
		d := darkSum/dark - (sum-darkSum)/(n-dark)
		if w := dark / n * (1 - dark/n) * d * d; w > between {
			between, part = w, dark/n
		}
	}
	return between > bimodal*all && part > evenest && part < 1-evenest
}
