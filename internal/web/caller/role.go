package caller

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// A Role says what a caller may do. Each role includes those before it.
type Role int

// The roles.
const (
	Asker    Role = iota // asks, and sees what they asked for
	Reader               // asks, and reads all results and the catalogue
	Reviewer             // corrects results
	Owner                // imports, forgets, and removes records
)

var roles = [...]string{"asker", "reader", "reviewer", "owner"}

func (r Role) String() string { return roles[r] }

// MarshalText returns the name of r.
func (r Role) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText sets r to the role with that name.
func (r *Role) UnmarshalText(name []byte) error {
	i := slices.Index(roles[:], string(name))
	if i < 0 {
		return fmt.Errorf("caller: there is no role %q", name)
	}
	*r = Role(i)
	return nil
}

// A Denied is the error for a caller who lacks a role.
type Denied struct {
	Needs Role
	Who   Caller
}

// Error says which role is needed, and who can give it.
func (d *Denied) Error() string { return "caller: " + d.Public() }

// Public is the text for the caller.
func (d *Denied) Public() string {
	who := "you are not signed in"
	if d.Who.Named() {
		who = fmt.Sprintf("you are signed in as %s and have the role %s", d.Who.Name(), d.Who.Role)
	}
	return fmt.Sprintf("this needs the role %s: %s. %s", d.Needs, who, d.giver())
}

// giver says who can give a role. The addresses of owners are no business of the public's.
func (d *Denied) giver() string {
	if d.Who.Access == BehindIAP && len(d.Who.owners) > 0 {
		return "Ask an owner: " + strings.Join(d.Who.owners, ", ")
	}
	return "Whoever deployed this service gives roles"
}

// Need returns an error if the caller of a request lacks a role.
func Need(ctx context.Context, r Role) error {
	if c := From(ctx); c.Role < r {
		return &Denied{Needs: r, Who: c}
	}
	return nil
}
