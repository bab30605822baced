package samples

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image/png"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"
)

// EyewearShop is the shop of the frames.
const EyewearShop = "eyewear"

// A Frame is one pair of invented glasses. Its codes are from the search vocabulary of
// eyewear.
type Frame struct {
	SKU, Name, Brand                         string
	Category, Gender, Color, Material, Shape string
	Price, Stock                             int // VND, pieces
	wide                                     float64
}

// A facetValue is a code with its names in English and Vietnamese.
type facetValue struct{ Code, English, Vietnamese string }

var (
	frameShapes = []facetValue{
		{"round", "round", "tròn"}, {"oval", "oval", "bầu dục"}, {"square", "square", "vuông"}, {"rectangle", "rectangle", "chữ nhật"},
		{"cat_eye", "cat eye", "mắt mèo"}, {"aviator", "aviator", "phi công"}, {"wayfarer", "wayfarer", "hình thang"}, {"browline", "browline", "nửa gọng"},
		{"butterfly", "butterfly", "cánh bướm"}, {"polygon", "polygon", "đa giác"}, {"rimless", "rimless", "không viền"},
	}
	frameColors = []facetValue{
		{"black", "black", "đen"}, {"white", "white", "trắng"}, {"grey", "grey", "xám"}, {"silver", "silver", "bạc"}, {"gold", "gold", "vàng kim"},
		{"rose_gold", "rose gold", "vàng hồng"}, {"brown", "brown", "nâu"}, {"tortoise", "tortoise", "đồi mồi"}, {"red", "red", "đỏ"},
		{"pink", "pink", "hồng"}, {"orange", "orange", "cam"}, {"yellow", "yellow", "vàng"}, {"green", "green", "xanh lá"},
		{"blue", "blue", "xanh dương"}, {"purple", "purple", "tím"}, {"beige", "beige", "be"}, {"clear", "clear", "trong suốt"},
	}
	frameCategories = []facetValue{{"sunglasses", "sunglasses", "kính mát"}, {"frames", "frames", "gọng kính"}}
	frameGenders    = []facetValue{{"men", "men", "nam"}, {"women", "women", "nữ"}, {"unisex", "unisex", "unisex"}}
	frameMaterials  = []facetValue{
		{"metal", "metal", "kim loại"}, {"titanium", "titanium", "titan"}, {"acetate", "acetate", "acetate"}, {"plastic", "plastic", "nhựa"},
		{"tr90", "TR90", "TR90"}, {"ultem", "ultem", "ultem"}, {"wood", "wood", "gỗ"}, {"mixed", "mixed material", "kết hợp"},
	}
	frameBrands = []string{"Lunavelle", "Bách Quang", "Orvando", "Kestrel & Pine", "Mira Sông", "Halvorsen Optik", "Nébula"}
	frameModels = []string{"Aria", "Bến", "Corvo", "Dao", "Elm", "Fjord", "Gió", "Hera", "Iris", "Juno", "Kora"}
)

// Frames returns the shop's frames: every shape in every colour, in both categories,
// the same in every run.
func Frames() []Frame {
	var frames []Frame
	for s, shape := range frameShapes {
		for c, color := range frameColors {
			for k, category := range frameCategories {
				n := len(frames)
				frames = append(frames, Frame{
					SKU: fmt.Sprintf("EW-%04d", 1001+n), Name: fmt.Sprintf("%s %d", frameModels[(s+3*c)%len(frameModels)], 100+n),
					Brand: frameBrands[(s+2*c+3*k)%len(frameBrands)], Category: category.Code, Color: color.Code, Shape: shape.Code,
					Gender: frameGenders[(s+c+k)%len(frameGenders)].Code, Material: frameMaterials[(3*s+c+4*k)%len(frameMaterials)].Code,
					Price: 290_000 + 10_000*(n*37%290), Stock: n * 7 % 13, wide: 0.97 + 0.03*float64(n%3),
				})
			}
		}
	}
	return frames
}

// labels returns the names of a code, in English and in Vietnamese.
func labels(values []facetValue, code string) (english, vietnamese string) {
	for _, v := range values {
		if v.Code == code {
			return v.English, v.Vietnamese
		}
	}
	return code, code
}

// record returns f as a line of an imported file.
func (f Frame) record(imagePrefix string) map[string]any {
	category, loai := labels(frameCategories, f.Category)
	gender, gioi := labels(frameGenders, f.Gender)
	color, mau := labels(frameColors, f.Color)
	material, chat := labels(frameMaterials, f.Material)
	shape, kieu := labels(frameShapes, f.Shape)
	return map[string]any{
		"product_name": f.Name, "brand": f.Brand, "category": category, "sku": f.SKU, "price": f.Price, "currency": "VND", "stock": f.Stock,
		"country": "VN", "lang": "vi", "image_uri": imagePrefix + f.SKU + ".png",
		"description":  fmt.Sprintf("%s %s màu %s, khung %s, kiểu dáng %s", loai, gioi, mau, chat, kieu),
		"key_features": []string{color, shape + " shape", material, category, gender, "eyewear", f.Brand, f.Name},
		"facets":       map[string]string{"category": f.Category, "gender": f.Gender, "color": f.Color, "frameMaterial": f.Material, "frameShape": f.Shape},
	}
}

// EyewearFile returns the frames as JSON Lines for an import. The name of a picture is
// imagePrefix, such as gs://bucket/, its SKU and .png.
func EyewearFile(imagePrefix string) []byte {
	var b bytes.Buffer
	lines := json.NewEncoder(&b)
	for _, f := range Frames() {
		if err := lines.Encode(f.record(imagePrefix)); err != nil {
			panic(fmt.Sprintf("samples: eyewear: %v", err)) // strings and numbers
		}
	}
	return b.Bytes()
}

// PNG returns the shop's picture of f, which is drawn once in a process.
func (f Frame) PNG() []byte {
	drawn, _ := drawnFrames.LoadOrStore(f, sync.OnceValue(f.draw))
	return drawn.(func() []byte)()
}

// drawnFrames caches pictures of frames.
var drawnFrames sync.Map

func (f Frame) draw() []byte {
	var b bytes.Buffer
	quick := png.Encoder{CompressionLevel: png.BestSpeed, BufferPool: &encoders}
	if err := quick.Encode(&b, f.Picture(View{})); err != nil {
		panic(fmt.Sprintf("samples: eyewear: %v", err))
	}
	return b.Bytes()
}

// encoders are the buffers of PNG encoders, which are large beside the pictures.
var encoders encoderPool

type encoderPool struct{ sync.Pool }

// Get returns buffers that are free, or nil.
func (p *encoderPool) Get() *png.EncoderBuffer {
	b, _ := p.Pool.Get().(*png.EncoderBuffer)
	return b
}

// Put takes buffers back.
func (p *encoderPool) Put(b *png.EncoderBuffer) { p.Pool.Put(b) }

// WriteEyewear writes the file and its pictures into a folder, and returns the
// path of the file.
func WriteEyewear(folder string) (string, error) {
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for _, f := range Frames() {
		group.Go(func() error { return os.WriteFile(filepath.Join(folder, f.SKU+".png"), f.PNG(), 0o644) })
	}
	if err := group.Wait(); err != nil {
		return "", fmt.Errorf("samples: %w", err)
	}
	path := filepath.Join(folder, strings.ToLower(EyewearShop)+".jsonl")
	return path, os.WriteFile(path, EyewearFile(""), 0o644)
}

// FrameShapes returns the codes of the shapes.
func FrameShapes() []string {
	codes := make([]string, len(frameShapes))
	for i, v := range frameShapes {
		codes[i] = v.Code
	}
	return codes
}

// FrameInks returns the colours of frames, 0xRRGGBB, by their codes.
func FrameInks() map[string]uint32 { return maps.Clone(frameInks) }

// FrameWords returns the English and the Vietnamese words for a code.
func FrameWords(code string) string {
	english, vietnamese := labels(slices.Concat(frameShapes, frameColors, frameCategories), code)
	return english + " " + vietnamese
}
