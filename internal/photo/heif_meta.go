package photo

import "bytes"

// meta reads the boxes of a meta box (ISO/IEC 14496-12, 8.11; 23008-12, 9.3).
func (f *heifFile) meta(meta box) error {
	// A full box: version and flags come first.
	for pos := 4; pos < len(meta.body); {
		b, next, err := readBox(meta.body, pos)
		if err != nil {
			return err
		}
		b.at += meta.at
		c := cursor{b: b.body}
		switch b.kind {
		case "pitm":
			f.primaryItem(&c)
		case "iinf":
			err = f.itemInfos(b)
		case "iloc":
			f.locations(&c)
		case "iprp":
			err = f.itemProperties(b)
		case "idat":
			f.idat = span{b.at, b.at + len(b.body)}
		}
		if err == nil && c.short {
			err = fault(Corrupt, "the HEIF's box %s is shorter than what it lists", b.kind)
		}
		if err != nil {
			return err
		}
		pos = next
	}
	return nil
}

// wide returns 4 for box versions in which item numbers have 4 bytes, else 2.
func wide(is bool) int {
	if is {
		return 4
	}
	return 2
}

func (f *heifFile) primaryItem(c *cursor) {
	version := c.uint(4) >> 24
	f.primary = uint32(c.uint(wide(version > 0)))
}

// itemInfos reads the type of each item.
func (f *heifFile) itemInfos(iinf box) error {
	c := cursor{b: iinf.body}
	version := c.uint(4) >> 24
	c.skip(wide(version > 0))
	for rest := c.b; len(rest) > 0; {
		b, next, err := readBox(rest, 0)
		if err != nil {
			return err
		}
		rest = rest[next:]
		if b.kind != "infe" {
			continue
		}
		e := cursor{b: b.body}
		version := e.uint(4) >> 24
		id := uint32(e.uint(wide(version > 2)))
		e.skip(2) // protection
		item := f.items[id]
		if version >= 2 {
			item.kind = string(bytes.Clone(e.take(4)))
		} else {
			item.kind = "mime" // older files only have a content type
		}
		f.items[id] = item
	}
	return nil
}

// locations reads the place of each item's bytes.
func (f *heifFile) locations(c *cursor) {
	version := c.uint(4) >> 24
	sizes := c.uint(2)
	offsetSize, lengthSize, baseSize, indexSize := int(sizes>>12), int(sizes>>8&0xf), int(sizes>>4&0xf), int(sizes&0xf)
	if version == 0 {
		indexSize = 0
	}
	if max(offsetSize, lengthSize, baseSize, indexSize) > 8 {
		c.short = true
		return
	}
	for range c.count(wide(version > 1), 6) {
		id := uint32(c.uint(wide(version > 1)))
		item := f.items[id]
		if version > 0 {
			item.construction = uint16(c.uint(2) & 0xf)
		}
		c.skip(2) // data reference
		base := c.uint(baseSize)
		item.extents = nil
		for range c.count(2, max(1, offsetSize+lengthSize+indexSize)) {
			c.skip(indexSize)
			offset := base + c.uint(offsetSize)
			item.extents = append(item.extents, heifExtent{offset: offset, length: c.uint(lengthSize)})
		}
		f.items[id] = item
	}
}

// itemProperties reads the list of properties and their items.
func (f *heifFile) itemProperties(iprp box) error {
	for pos := 0; pos < len(iprp.body); {
		b, next, err := readBox(iprp.body, pos)
		if err != nil {
			return err
		}
		switch b.kind {
		case "ipco":
			err = f.propertyList(b)
		case "ipma":
			c := cursor{b: b.body}
			f.associations(&c)
			if c.short {
				err = fault(Corrupt, "the HEIF's box ipma is shorter than what it lists")
			}
		}
		if err != nil {
			return err
		}
		pos = next
	}
	return nil
}

func (f *heifFile) propertyList(ipco box) error {
	for pos := 0; pos < len(ipco.body); {
		b, next, err := readBox(ipco.body, pos)
		if err != nil {
			return err
		}
		f.properties = append(f.properties, b)
		pos = next
	}
	return nil
}

// associations reads ipma. The top bit of a number says whether the property is essential.
func (f *heifFile) associations(c *cursor) {
	head := c.uint(4)
	size, mask := 1, uint64(0x7f)
	if head&1 != 0 {
		size, mask = 2, 0x7fff
	}
	for range c.count(4, 3) {
		id := uint32(c.uint(wide(head>>24 > 0)))
		item := f.items[id]
		for range c.count(1, size) {
			item.properties = append(item.properties, int(c.uint(size)&mask))
		}
		f.items[id] = item
	}
}
