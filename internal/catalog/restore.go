package catalog

// A Restored is what the line of an export says of a record besides the product.
type Restored struct{}
