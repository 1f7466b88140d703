package config

import "time"

// Role says what a process does; "" is not set.
type Role string

// The roles.
const (
	RoleAll          Role = "all"
	RoleControlPlane Role = "control-plane"
	RoleGateway      Role = "gateway"
	RoleConsole      Role = "console"
)

var _ choices = Role("")

// Values lists the words that may be written.
func (Role) Values() []string { return []string{"all", "control-plane", "gateway", "console"} }

// Governs reports whether the role serves clients of models.
func (r Role) Governs() bool { return r != RoleControlPlane && r != RoleConsole }

// Administers reports whether the role serves administrators.
func (r Role) Administers() bool { return r != RoleGateway }

// Keeps reports whether the role keeps the records that others share: it brings into the database what its file says, and
// serves nodes. A console leaves that to the gateways whose database it shares.
func (r Role) Keeps() bool { return r.Administers() && r != RoleConsole }

// Fleet is what a control plane and its nodes share.
type Fleet struct {
	// Secret opens the internal API, which hands the configuration to nodes, and seals what goes over it. At least 16 characters, the same on all.
	Secret Secret `yaml:"secret" secret:"true" eg:"${HEADGATE_INTERNAL_SECRET}"`
	// ControlPlane is the address of the control plane that this node takes its configuration from. Empty on all that read their own file and database.
	ControlPlane string `yaml:"control_plane" eg:"https://control.example.com:8080"`
	// CAFile holds certificates that the control plane's is checked against, PEM, besides those of the system.
	CAFile string `yaml:"ca_file" eg:"fleet-ca.pem"`
	// Node names this node for good, in its audit chain and at the control plane. Made once, and kept in the database, unless written.
	Node string `yaml:"node" eg:"edge-1"`
	// Poll is how often the control plane is asked for its version, give or take a fifth.
	Poll time.Duration `yaml:"poll" default:"1s" min:"100ms" max:"1m"`
	// Spool is how large a node's database may grow while its records cannot be handed over. When it is full, exchanges are refused.
	Spool ByteSize `yaml:"spool" default:"1GiB" min:"16MiB" max:"1024GiB"`
}
