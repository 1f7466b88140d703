package upstream

import (
	"net/netip"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestWhichAddressesAreCalled(t *testing.T) {
	for _, c := range []struct {
		address      string
		public, ours bool // called as it is; called with allow_private
	}{
		{"8.8.8.8", true, true},
		{"2606:4700:4700::1111", true, true},
		{"172.32.0.1", true, true},
		{"100.128.0.1", true, true},
		{"64:ff9b::808:808", true, true},
		{"::ffff:8.8.8.8", true, true},
		{"127.0.0.1", false, true},
		{"127.255.0.9", false, true},
		{"::1", false, true},
		{"::ffff:127.0.0.1", false, true},
		{"64:ff9b::7f00:1", false, true},
		{"10.1.2.3", false, true},
		{"172.16.0.1", false, true},
		{"172.31.255.255", false, true},
		{"192.168.1.1", false, true},
		{"::ffff:192.168.1.1", false, true},
		{"64:ff9b::c0a8:101", false, true},
		{"64:ff9b:1::1", false, true},
		{"100.64.0.1", false, true},
		{"fc00::1", false, true},
		{"fd12:3456::1", false, true},
		{"0.0.0.0", false, false},
		{"0.1.2.3", false, false},
		{"::", false, false},
		{"::127.0.0.1", false, false},
		{"169.254.169.254", false, false},
		{"169.254.1.1", false, false},
		{"::ffff:169.254.169.254", false, false},
		{"64:ff9b::a9fe:a9fe", false, false},
		{"::ffff:0:169.254.169.254", false, false},
		{"2002:a9fe:a9fe::1", false, false},
		{"fe80::1", false, false},
		{"fe80::1%eth0", false, false},
		{"fd00::1%eth0", false, false},
		{"fec0::1", false, false},
		{"fd00:ec2::254", false, false},
		{"fd20:ce::254", false, false},
		{"100.100.100.200", false, false},
		{"192.0.0.192", false, false},
		{"168.63.129.16", false, false},
		{"224.0.0.1", false, false},
		{"239.255.255.255", false, false},
		{"240.0.0.1", false, false},
		{"255.255.255.255", false, false},
		{"192.0.2.1", false, false},
		{"198.18.0.1", false, false},
		{"203.0.113.9", false, false},
		{"ff02::1", false, false},
		{"2001::1", false, false},
		{"2001:db8::1", false, false},
		{"3fff::1", false, false},
		{"100::1", false, false},
	} {
		ip := netip.MustParseAddr(c.address)
		assert.Equal(t, c.public, nameForbiddenKind(ip, false) == "", "%s: %s", c.address, nameForbiddenKind(ip, false))
		assert.Equal(t, c.ours, nameForbiddenKind(ip, true) == "", "%s with allow_private: %s", c.address, nameForbiddenKind(ip, true))
	}
	assert.NotEmpty(t, nameForbiddenKind(netip.Addr{}, true))
}
