package samples

import "math"

// A place is a point in the room: x to the right, y down with the table at
// 0, z away from the camera. The unit is a pixel at the camera's distance.
type place struct{ x, y, z float64 }

// A camera looks down on the origin, the middle of the pack's foot.
type camera struct {
	distance    float64
	pitch, roll float64 // degrees: downwards, clockwise
	zoom        float64
	foot        point // where the origin is in the picture
}

func (c camera) see(v place) point {
	sin, cos := math.Sincos(c.pitch * math.Pi / 180)
	y, z := v.y*cos-v.z*sin, v.z*cos+v.y*sin
	scale := c.zoom * c.distance / (c.distance + z)
	p := point{c.foot.x + v.x*scale, c.foot.y + y*scale}
	return turned(c.foot.x, c.foot.y, c.roll)(p)
}

// wall is the lens of an upright surface: its top left corner is at corner,
// x runs along a line turned by degrees from the picture plane, away from the
// camera when positive.
func (c camera) wall(corner place, degrees float64) lens {
	sin, cos := math.Sincos(degrees * math.Pi / 180)
	return func(p point) point {
		return c.see(place{corner.x + p.x*cos, corner.y + p.y, corner.z + p.x*sin})
	}
}

// floor is the lens of a level surface at height y: x to the right, y of the
// surface towards the camera, turned by degrees about the origin.
func (c camera) floor(y, degrees float64) lens {
	turn := turned(0, 0, degrees)
	return func(p point) point {
		p = turn(p)
		return c.see(place{p.x, y, -p.y})
	}
}

// horizon is where the surface of a drum turns out of sight, in radians from
// its front; it is less than a right angle since the camera is near.
const horizon = 1.46

// drum is the lens of a round pack that stands on the origin: x is the length
// along the surface at the top, 0 where it faces the camera, y runs down from
// the top. What lies behind the horizon stays on it.
func (c camera) drum(height, top, bottom float64) lens {
	return func(p point) point {
		a := min(max(p.x/top, -horizon), horizon)
		r := top + (bottom-top)*p.y/height
		return c.see(place{r * math.Sin(a), p.y - height, -r * math.Cos(a)})
	}
}

// A box is the two visible faces of a carton that stands on the origin.
type box struct{ front, side lens }

// carton turns a box by degrees, so that its right side comes into view.
func (c camera) carton(width, height, depth, degrees float64) box {
	sin, cos := math.Sincos(degrees * math.Pi / 180)
	corner := place{-width/2*cos - depth/2*sin, -height, width/2*sin - depth/2*cos}
	edge := place{corner.x + width*cos, -height, corner.z - width*sin}
	return box{c.wall(corner, -degrees), c.wall(edge, 90-degrees)}
}
