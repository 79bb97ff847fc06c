// SPDX-License-Identifier: Apache-2.0

package paint

import (
	"bytes"
	"fmt"
	"image"
	"image/draw"
	_ "image/gif" // pictures that are sent to us
	"image/jpeg"
	"image/png"

	xdraw "golang.org/x/image/draw"
)

// The media types of the pictures that Encode makes.
const (
	PNG  = "image/png"
	JPEG = "image/jpeg"
)

// MaxFile is how many bytes a picture that is sent to us may have.
const MaxFile = 8 << 20

// MaxPixels is how many pixels it may have: a small file can claim a very large picture.
const MaxPixels = 16 << 20

// Encode writes a picture as [PNG] or [JPEG]. The same pixels give the same bytes.
func Encode(img image.Image, mediaType string) ([]byte, error) {
	var b bytes.Buffer
	var err error
	switch mediaType {
	case PNG:
		err = (&png.Encoder{CompressionLevel: png.DefaultCompression}).Encode(&b, img)
	case JPEG:
		err = jpeg.Encode(&b, onWhite(img), &jpeg.Options{Quality: 90})
	default:
		err = fmt.Errorf("no encoder of %q", mediaType)
	}
	return b.Bytes(), err
}

func onWhite(img image.Image) image.Image {
	out := image.NewRGBA(img.Bounds())
	draw.Draw(out, out.Rect, image.White, image.Point{}, draw.Src)
	draw.Draw(out, out.Rect, img, img.Bounds().Min, draw.Over)
	return out
}

// Decode reads a PNG, JPEG or GIF picture, whatever its name says, within the limits. A picture whose longer side is
// above [MaxSide] comes back smaller.
func Decode(content []byte) (*image.RGBA, error) {
	if len(content) > MaxFile {
		return nil, fmt.Errorf("the picture has %d bytes; the limit is %d", len(content), MaxFile)
	}
	config, _, err := image.DecodeConfig(bytes.NewReader(content))
	if err != nil {
		return nil, fmt.Errorf("not a PNG, JPEG or GIF picture: %w", err)
	}
	if config.Width < 1 || config.Height < 1 || config.Width > MaxPixels/config.Height {
		return nil, fmt.Errorf("a picture of %d × %d pixels; the limit is %d pixels", config.Width, config.Height,
			MaxPixels)
	}
	decoded, _, err := image.Decode(bytes.NewReader(content))
	if err != nil {
		return nil, fmt.Errorf("the picture is broken: %w", err)
	}
	img := image.NewRGBA(image.Rect(0, 0, decoded.Bounds().Dx(), decoded.Bounds().Dy()))
	draw.Draw(img, img.Rect, decoded, decoded.Bounds().Min, draw.Src)
	if w, h := img.Rect.Dx(), img.Rect.Dy(); max(w, h) > MaxSide {
		small := image.NewRGBA(image.Rect(0, 0, w*MaxSide/max(w, h), h*MaxSide/max(w, h)))
		xdraw.ApproxBiLinear.Scale(small, small.Rect, img, img.Rect, draw.Src, nil)
		img = small
	}
	return img, checkSize(img.Rect.Dx(), img.Rect.Dy())
}
