package fault

// ID names one planted edit.
type ID int64

// The planted edits. All describes them.
const (
	None ID = iota
)

// Description says in words what the edit of a fault is.
type Description struct {
	ID   ID
	Name string
	Edit string
}
