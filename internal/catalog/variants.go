package catalog

import (
	"example.com/whatis/internal/store"
	"example.com/whatis/internal/textfold"
)

// VariantKey returns what variants of one product have in common: those with the same
// variant_of, and those with a SKU, brand and name of which only the SKU differs. Others have
// none.
func (p Product) VariantKey() (key string, ok bool) {
	switch {
	case p.VariantOf != "":
		return store.HashID("variant_of", textfold.Caseless(p.VariantOf)), true
	case p.SKU != "" && textfold.Name(p.ProductName) != "":
		return store.HashID("name", textfold.Name(p.Brand), textfold.Name(p.ProductName)), true
	}
	return "", false
}
