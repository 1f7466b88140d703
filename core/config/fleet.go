package config

import "time"

// Role is what a process does; "" is not set.
type Role string

// The roles.
const (
	RoleAll          Role = "all"
	RoleControlPlane Role = "control-plane"
	RoleGateway      Role = "gateway"
	RoleConsole      Role = "console"
)

var _ choices = Role("")

// Values lists the accepted words.
func (Role) Values() []string { return []string{"all", "control-plane", "gateway", "console"} }

// Governs reports whether the role serves clients of models.
func (r Role) Governs() bool { return r != RoleControlPlane && r != RoleConsole }

// Administers reports whether the role serves administrators.
func (r Role) Administers() bool { return r != RoleGateway }

// Keeps reports whether the role owns the shared records: it writes its file's resources to the database, and serves
// nodes. A console leaves that to the gateways whose database it shares.
func (r Role) Keeps() bool { return r.Administers() && r != RoleConsole }

// Fleet configures a control plane and its nodes.
type Fleet struct {
	// Secret authenticates nodes at the internal API, which hands out the configuration, and seals its messages. At
	// least 16 characters, the same on all nodes.
	Secret Secret `yaml:"secret" secret:"true" eg:"${HEADGATE_INTERNAL_SECRET}"`
	// ControlPlane is the address of the control plane that sends this node its configuration. Omit it if the process
	// reads its own file and database.
	ControlPlane string `yaml:"control_plane" eg:"https://control.example.com:8080"`
	// CAFile is a PEM file of certificate authorities for the control plane, besides the system's.
	CAFile string `yaml:"ca_file" eg:"fleet-ca.pem"`
	// Node identifies this node permanently, in its audit chain and at the control plane. By default a name is created
	// once and stored in the database.
	Node string `yaml:"node" eg:"edge-1"`
	// Poll is how often the node asks the control plane for its version, plus or minus a fifth.
	Poll time.Duration `yaml:"poll" default:"1s" min:"100ms" max:"1m"`
	// Spool limits a node's database while it cannot hand over its records. When it is full, exchanges are refused.
	Spool ByteSize `yaml:"spool" default:"1GiB" min:"16MiB" max:"1024GiB"`
}
