package upstream

import "net/netip"

// Kinds of addresses that are not called.
const (
	kindLoopback  = "of this machine"
	kindPrivate   = "private"
	kindShared    = "of a carrier's shared network"
	kindLinkLocal = "link-local"
	kindMetadata  = "of a cloud's metadata service"
	kindMulticast = "multicast"
	kindNone      = "unspecified"
	kindReserved  = "reserved"
)

// allowable are the kinds that allow_private opens. Receivers never have an address of the other kinds, least of all
// link-local ones, at which clouds serve their metadata.
var allowable = map[string]bool{kindLoopback: true, kindPrivate: true, kindShared: true}

// ranges are the addresses that are not globally reachable, by the IANA special purpose address registries for IPv4 and
// IPv6 (RFC 6890 and its updates), and the addresses at which clouds serve metadata. The first match wins.
var ranges = []struct {
	prefix netip.Prefix
	kind   string
}{
	// Metadata outside link-local addresses: AWS over IPv6 (EC2 user guide), GCP
	// over IPv6 (Compute Engine documentation), Alibaba Cloud (ECS user guide),
	// Oracle Cloud's older address (OCI documentation), Azure's host (Azure
	// documentation, "What is IP address 168.63.129.16").
	{netip.MustParsePrefix("fd00:ec2::254/128"), kindMetadata},
	{netip.MustParsePrefix("fd20:ce::254/128"), kindMetadata},
	{netip.MustParsePrefix("100.100.100.200/32"), kindMetadata},
	{netip.MustParsePrefix("192.0.0.192/32"), kindMetadata},
	{netip.MustParsePrefix("168.63.129.16/32"), kindMetadata},
	{netip.MustParsePrefix("169.254.169.254/32"), kindMetadata},

	{netip.MustParsePrefix("0.0.0.0/8"), kindNone},
	{netip.MustParsePrefix("10.0.0.0/8"), kindPrivate},
	{netip.MustParsePrefix("100.64.0.0/10"), kindShared},
	{netip.MustParsePrefix("127.0.0.0/8"), kindLoopback},
	{netip.MustParsePrefix("169.254.0.0/16"), kindLinkLocal},
	{netip.MustParsePrefix("172.16.0.0/12"), kindPrivate},
	{netip.MustParsePrefix("192.0.0.0/24"), kindReserved},
	{netip.MustParsePrefix("192.0.2.0/24"), kindReserved},
	{netip.MustParsePrefix("192.31.196.0/24"), kindReserved},
	{netip.MustParsePrefix("192.52.193.0/24"), kindReserved},
	{netip.MustParsePrefix("192.88.99.0/24"), kindReserved},
	{netip.MustParsePrefix("192.168.0.0/16"), kindPrivate},
	{netip.MustParsePrefix("192.175.48.0/24"), kindReserved},
	{netip.MustParsePrefix("198.18.0.0/15"), kindReserved},
	{netip.MustParsePrefix("198.51.100.0/24"), kindReserved},
	{netip.MustParsePrefix("203.0.113.0/24"), kindReserved},
	{netip.MustParsePrefix("224.0.0.0/4"), kindMulticast},
	{netip.MustParsePrefix("240.0.0.0/4"), kindReserved},

	{netip.MustParsePrefix("::/128"), kindNone},
	{netip.MustParsePrefix("::1/128"), kindLoopback},
	{netip.MustParsePrefix("::/96"), kindReserved}, // IPv4-compatible, withdrawn
	{netip.MustParsePrefix("::ffff:0:0:0/96"), kindReserved},
	{netip.MustParsePrefix("64:ff9b:1::/48"), kindPrivate}, // NAT64 of a local operator
	{netip.MustParsePrefix("100::/64"), kindReserved},
	{netip.MustParsePrefix("100:0:0:1::/64"), kindReserved},
	{netip.MustParsePrefix("2001::/23"), kindReserved}, // Teredo, ORCHID, benchmarking
	{netip.MustParsePrefix("2001:db8::/32"), kindReserved},
	{netip.MustParsePrefix("2002::/16"), kindReserved}, // 6to4, withdrawn
	{netip.MustParsePrefix("2620:4f:8000::/48"), kindReserved},
	{netip.MustParsePrefix("3fff::/20"), kindReserved},
	{netip.MustParsePrefix("5f00::/16"), kindReserved},
	{netip.MustParsePrefix("fc00::/7"), kindPrivate},
	{netip.MustParsePrefix("fe80::/10"), kindLinkLocal},
	{netip.MustParsePrefix("fec0::/10"), kindLinkLocal}, // site-local, withdrawn
	{netip.MustParsePrefix("ff00::/8"), kindMulticast},
}

// nat64 is the well-known prefix behind which the last four bytes are an IPv4
// address (RFC 6052).
var nat64 = netip.MustParsePrefix("64:ff9b::/96")

// nameForbiddenKind returns the kind of an address that must not be called, or "". An address that embeds an IPv4 address
// is judged by the embedded address.
func nameForbiddenKind(ip netip.Addr, allowPrivate bool) string {
	if ip.Zone() != "" {
		return kindLinkLocal
	}
	ip = ip.Unmap()
	if nat64.Contains(ip) {
		b := ip.As16()
		ip = netip.AddrFrom4([4]byte(b[12:]))
	}
	if !ip.IsValid() {
		return kindNone
	}
	for i := range ranges {
		if r := &ranges[i]; r.prefix.Contains(ip) {
			if allowPrivate && allowable[r.kind] {
				return ""
			}
			return r.kind
		}
	}
	return ""
}

// RefusedAddress is the error of an address that must not be called. Its text does not contain the address: it would
// describe a network to anyone who can read logs.
type RefusedAddress struct{ kind string }

func (e RefusedAddress) Error() string {
	text := "leads to an address that is " + e.kind
	if allowable[e.kind] {
		text += "; write allow_private: true if this is intended"
	}
	return text
}
