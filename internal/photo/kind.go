package photo

import (
	"bytes"
	"encoding/binary"
	"net/http"
	"strings"
)

// open detects the format of data by its first bytes and reads its container.
func open(data []byte, l Limits) (*source, error) {
	if len(data) == 0 {
		return nil, fault(Empty, "the file has no bytes")
	}
	if int64(len(data)) > l.MaxBytes {
		return nil, fault(TooManyBytes, "the file has %d bytes, more than %d", len(data), l.MaxBytes)
	}
	switch {
	case starts(data, "\xff\xd8"):
		return openJPEG(data, l)
	case starts(data, "\x89PNG"):
		return openPNG(data, l)
	case starts(data, "RIFF") && starts(data[min(8, len(data)):], "WEBP"):
		return openWebP(data, l)
	case starts(data, "GIF87a"), starts(data, "GIF89a"):
		return openGIF(data, l)
	case isBMP(data):
		return openBMP(data, l)
	case starts(data, "II*\x00"), starts(data, "MM\x00*"):
		return openTIFF(data, l)
	case heifType(data) != "":
		return openHEIF(data, l)
	}
	return nil, refuse(data)
}

func starts(data []byte, prefix string) bool {
	return len(data) >= len(prefix) && string(data[:len(prefix)]) == prefix
}

// isBMP also checks the size of the second header, because text may begin with BM.
func isBMP(data []byte) bool {
	if !starts(data, "BM") || len(data) < 18 {
		return false
	}
	size := binary.LittleEndian.Uint32(data[14:])
	return size == 12 || size >= 40 && size <= 124
}

// foreignKinds are known formats that are refused, by the bytes at an offset.
var foreignKinds = []struct {
	offset      int
	magic       string
	code, named string
}{
	{0, "\xff\x0a", UnsupportedFormat, "a JPEG XL image"},
	{4, "JXL \r\n", UnsupportedFormat, "a JPEG XL image"},
	{4, "jP  \r\n", UnsupportedFormat, "a JPEG 2000 image"},
	{0, "\xff\x4f\xff\x51", UnsupportedFormat, "a JPEG 2000 image"},
	{0, "8BPS", UnsupportedFormat, "a Photoshop document"},
	{0, "II+\x00", UnsupportedFormat, "a BigTIFF image"},
	{0, "MM\x00+", UnsupportedFormat, "a BigTIFF image"},
	{0, "FUJIFILMCCD-RAW", UnsupportedFormat, "a camera's raw file"},
	{0, "IIRO", UnsupportedFormat, "a camera's raw file"},
	{0, "IIU\x00", UnsupportedFormat, "a camera's raw file"},
	{0, "\x00\x00\x01\x00", UnsupportedFormat, "an icon"},
	{4, "ftypcrx ", UnsupportedFormat, "a camera's raw file"},
	{4, "ftypM4A", NotAnImage, "audio"},
	{4, "ftyp", NotAnImage, "a video"},
	{4, "moov", NotAnImage, "a video"},
	{0, "\x00\x00\x01\xba", NotAnImage, "a video"},
	{0, "\x00\x00\x01\xb3", NotAnImage, "a video"},
	{0, "FLV\x01", NotAnImage, "a video"},
	{0, "\x1a\x45\xdf\xa3", NotAnImage, "a video"},
	{0, "fLaC", NotAnImage, "audio"},
}

// refuse returns the error for data of an unsupported format.
func refuse(data []byte) error {
	for _, k := range foreignKinds {
		if starts(data[min(k.offset, len(data)):], k.magic) {
			return fault(k.code, "the file looks like %s", k.named)
		}
	}
	if starts(data, "BM") {
		data = data[2:] // isBMP was false: do not report a bitmap, whatever DetectContentType says
	}
	head := bytes.ToLower(data[:min(4096, len(data))])
	detected, _, _ := strings.Cut(http.DetectContentType(data), ";")
	switch class, _, _ := strings.Cut(detected, "/"); {
	case detected == "text/html":
		return fault(NotAnImage, "the file looks like an HTML page")
	case class == "text" && bytes.Contains(head, []byte("<svg")):
		return fault(UnsupportedFormat, "the file looks like an SVG drawing")
	case class == "text":
		return fault(NotAnImage, "the file looks like text")
	case class == "video":
		return fault(NotAnImage, "the file looks like a video")
	case class == "audio", detected == "application/ogg":
		return fault(NotAnImage, "the file looks like audio")
	case detected == "application/pdf":
		return fault(NotAnImage, "the file looks like a PDF document")
	case detected == "application/zip":
		return fault(NotAnImage, "the file looks like a ZIP archive or an office document")
	}
	return fault(NotAnImage, "the file is of no known image kind")
}
