// SPDX-License-Identifier: Apache-2.0

package card

import (
	"encoding/base64"
	"maps"
	"mime"
	"net"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/dragoman-a2a/dragoman/a2a"
	"github.com/dragoman-a2a/dragoman/internal/wire/cards"
)

// The functions below read a card of which nothing is known: what has the wrong type is reported elsewhere and is none
// here.

func stringIn(object map[string]any, name string) string {
	s, _ := object[name].(string)
	return s
}

func objectIn(object map[string]any, name string) map[string]any {
	o, _ := object[name].(map[string]any)
	return o
}

// objectsIn returns the elements of a list; those that are no objects are empty ones, so that indexes fit.
func objectsIn(object map[string]any, name string) []map[string]any {
	list, _ := object[name].([]any)
	objects := make([]map[string]any, len(list))
	for i, e := range list {
		objects[i], _ = e.(map[string]any)
	}
	return objects
}

func mode(v *validation, at string, value any) {
	s, ok := value.(string)
	if !ok {
		v.wrongType(at, "a string")
		return
	}
	name, _, err := mime.ParseMediaType(s)
	if major, minor, found := strings.Cut(name, "/"); err != nil || !found || major == "" || minor == "" {
		v.report("CARD-MODE-001", at, "%q is not a media type like text/plain", s)
	}
}

// link checks a URL for people.
func link(v *validation, at string, value any) {
	s, ok := value.(string)
	if !ok {
		v.wrongType(at, "a string")
		return
	}
	if s == "" {
		return // as good as absent, or reported as empty
	}
	if u, err := url.Parse(s); err != nil || !u.IsAbs() {
		v.report("CARD-URL-003", at, "%q is not an absolute URL", s)
	}
}

// address checks a URL that programs use.
func address(v *validation, at string, value any) {
	s, ok := value.(string)
	if !ok {
		v.wrongType(at, "a string")
		return
	}
	if s != "" {
		v.address(at, s)
	}
}

func (v *validation) address(at, s string) {
	u, err := url.Parse(s)
	if err != nil || !u.IsAbs() || u.Host == "" {
		v.report("CARD-URL-001", at, "%q is not an absolute URL", s)
		return
	}
	if u.Scheme == "http" && !onThisMachine(u.Hostname()) {
		v.report("CARD-URL-002", at, "%q sends what it is asked, and with which credentials, in the clear; use https",
			s)
	}
}

func onThisMachine(host string) bool {
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback() || host == "localhost" || strings.HasSuffix(host, ".localhost")
}

// version checks what a card before 1.0 says of the protocol.
func (v *validation) version(card map[string]any) {
	version := stringIn(card, "protocolVersion")
	if version == "" {
		return
	}
	if !versionForm.MatchString(version) {
		v.report("CARD-VER-001", "protocolVersion", "%q is not like 0.3.0", version)
		return
	}
	want := v.form.String()
	if v.form == cards.FormUnion {
		want = "0."
	}
	if !strings.HasPrefix(version, want) {
		v.report("CARD-VER-002", "protocolVersion", "the card looks like one of %s and says %q", v.form, version)
	}
}

var versionForm = regexp.MustCompile(`^[0-9]+\.[0-9]+(\.[0-9]+([-+].*)?)?$`)

// A place is an interface of a card of any generation.
type listedPlace struct{ at, url, binding, version, tenant string }

func (v *validation) interfaces(card map[string]any) {
	old := v.oldPlaces(card)
	listed := v.places(v.camelCaseQuietly(card))
	if v.form == cards.Form10 || v.form == cards.FormUnion {
		if len(listed) == 0 {
			v.report("CARD-REQ-003", "supportedInterfaces", "lists no interface")
		}
		v.distinct(listed)
	} else if len(old) == 0 {
		v.report("CARD-REQ-003", "url", "names no address")
	}
	v.additional(card, old)
	for _, p := range slices.Concat(old, listed) {
		v.place(p)
	}
	if v.form == cards.FormUnion && !slices.ContainsFunc(listed, func(p listedPlace) bool {
		return p.url == stringIn(card, "url") && strings.HasPrefix(p.version, "0.")
	}) {
		v.report("CARD-IFACE-005", "url", "is not among supportedInterfaces with a version before 1.0")
	}
}

func (v *validation) camelCaseQuietly(card map[string]any) map[string]any {
	quiet := validation{form: v.form, allowed: v.allowed, required: v.required}
	return quiet.camelCase("", card)
}

// places returns supportedInterfaces.
func (v *validation) places(card map[string]any) []listedPlace {
	var list []listedPlace
	for i, iface := range objectsIn(card, "supportedInterfaces") {
		iface = v.camelCaseQuietly(iface)
		p := listedPlace{element("supportedInterfaces", i), stringIn(iface, "url"), stringIn(iface, "protocolBinding"),
			stringIn(iface, "protocolVersion"), stringIn(iface, "tenant")}
		list = append(list, p)
	}
	return list
}

// oldPlaces returns url with preferredTransport and additionalInterfaces.
func (v *validation) oldPlaces(card map[string]any) []listedPlace {
	if v.form == cards.Form10 {
		return nil
	}
	var list []listedPlace
	if main := stringIn(card, "url"); main != "" {
		transport := stringIn(card, "preferredTransport")
		if transport == "" {
			transport = a2a.BindingJSONRPC
		}
		list = append(list, listedPlace{url: main, binding: transport})
	}
	for i, iface := range objectsIn(card, "additionalInterfaces") {
		list = append(list, listedPlace{at: element("additionalInterfaces", i), url: stringIn(iface, "url"),
			binding: stringIn(iface, "transport")})
	}
	return list
}

// additional checks how a card of 0.2 and 0.3 lists its interfaces.
func (v *validation) additional(card map[string]any, old []listedPlace) {
	if v.form == cards.Form03 && card["preferredTransport"] == nil {
		v.report("CARD-IFACE-004", "preferredTransport", "is absent, so that url is taken for JSONRPC")
	}
	if len(old) == 0 || card["additionalInterfaces"] == nil || old[0].at != "" {
		return
	}
	v.distinct(old[1:])
	if !slices.ContainsFunc(old[1:], func(p listedPlace) bool {
		return p.url == old[0].url &&
			p.binding == old[0].binding
	}) {
		v.report("CARD-IFACE-002", "additionalInterfaces", "lacks url with its transport, %s", old[0].binding)
	}
}

func (v *validation) distinct(list []listedPlace) {
	seen := make(map[listedPlace]bool)
	for _, p := range list {
		at := p.at
		p.at = ""
		if seen[p] {
			v.report("CARD-IFACE-001", at, "is there already")
		}
		seen[p] = true
	}
}

func (v *validation) place(p listedPlace) {
	bindingName, versionAt := "protocolBinding", join(p.at, "protocolVersion")
	switch {
	case p.at == "":
		bindingName = "preferredTransport"
	case strings.HasPrefix(p.at, "additional"):
		bindingName = "transport"
	}
	v.binding(join(p.at, bindingName), p.binding)
	if p.url != "" && !(p.binding == a2a.BindingGRPC && isHostPort(p.url)) {
		v.address(join(p.at, "url"), p.url)
	}
	if p.version != "" && !versionForm.MatchString(p.version) {
		v.report("CARD-VER-001", versionAt, "%q is not like 1.0", p.version)
	} else if strings.Count(p.version, ".") > 1 {
		v.report("CARD-VER-003", versionAt, "%q has a patch number; it is %s", p.version,
			p.version[:strings.LastIndex(p.version, ".")])
	}
	if slices.Contains(reservedTenants, p.tenant) {
		v.report("CARD-IFACE-006", join(p.at, "tenant"), "%q is the name of something else in paths", p.tenant)
	}
}

// reservedTenants are what a server of ours refuses as a tenant, because paths would mean two things.
var reservedTenants = []string{"tasks", "v1", "message:send", "message:stream", "extendedAgentCard", ".well-known",
	"healthz", "readyz", "metrics", "agents", "files"}

func (v *validation) binding(at, binding string) {
	switch binding {
	case "", a2a.BindingJSONRPC, a2a.BindingGRPC, a2a.BindingHTTPJSON:
		return
	}
	if u, err := url.Parse(binding); err != nil || !u.IsAbs() {
		v.report("CARD-IFACE-003", at, "%q is none of %s, %s and %s, and no URI of another binding", binding,
			a2a.BindingJSONRPC, a2a.BindingGRPC, a2a.BindingHTTPJSON)
	}
}

func isHostPort(s string) bool {
	host, port, err := net.SplitHostPort(s)
	return err == nil && host != "" && port != ""
}

func (v *validation) skills(card map[string]any) {
	seen := make(map[string]bool)
	for i, skill := range objectsIn(card, "skills") {
		id := stringIn(skill, "id")
		if id != "" && seen[id] {
			v.report("CARD-SKILL-001", element("skills", i)+".id", "%q is the id of another skill", id)
		}
		seen[id] = true
	}
}

func (v *validation) extensions(card map[string]any) {
	seen := make(map[string]bool)
	for i, ext := range objectsIn(objectIn(card, "capabilities"), "extensions") {
		uri := stringIn(ext, "uri")
		if uri != "" && seen[uri] {
			v.report("CARD-EXT-001", element("capabilities.extensions", i)+".uri", "%q is listed already", uri)
		}
		seen[uri] = true
	}
}

// undecided reports whether a card has nothing that 0.1 does not have, and nothing that 0.2 does not have.
func (v *validation) undecided(card map[string]any) bool {
	for _, m := range cardShape {
		if card[m.name] != nil && m.in&in01 == 0 {
			return false
		}
	}
	return objectIn(card, "capabilities")["extensions"] == nil
}

// requirements checks that the schemes which are asked for are declared.
func (v *validation) requirements(card map[string]any) {
	declared := objectIn(v.camelCaseQuietly(card), "securitySchemes")
	v.requirementsOf("", card, declared)
	for i, skill := range objectsIn(card, "skills") {
		v.requirementsOf(element("skills", i), skill, declared)
	}
}

func (v *validation) requirementsOf(at string, object, declared map[string]any) {
	object = v.camelCaseQuietly(object)
	for i, need := range objectsIn(object, "securityRequirements") {
		v.declared(element(join(at, "securityRequirements"), i)+".schemes", objectIn(need, "schemes"), declared)
	}
	for i, need := range objectsIn(object, "security") {
		v.declared(element(join(at, "security"), i), need, declared)
	}
}

func (v *validation) declared(at string, need, declared map[string]any) {
	for _, name := range slices.Sorted(maps.Keys(need)) {
		if _, ok := declared[name]; !ok {
			v.report("CARD-AUTH-001", join(at, name), "is not in securitySchemes")
		}
	}
}

// scheme checks a value of securitySchemes: before 1.0 it has a type, in 1.0 one member that holds it, in a union both.
func scheme(v *validation, at string, value any) {
	s, ok := value.(map[string]any)
	if !ok {
		v.wrongType(at, "an object")
		return
	}
	if v.allowed&in10 != 0 {
		v.wrappedScheme(at, v.camelCase(at, s))
	}
	if v.form == cards.FormUnion && s["type"] == nil {
		return
	}
	if v.allowed&in02to3 != 0 {
		v.typedScheme(at, s)
	}
}

func (v *validation) wrappedScheme(at string, s map[string]any) {
	found := 0
	for _, name := range slices.Sorted(maps.Keys(wrappedShapes)) {
		inner, there := s[name]
		if !there || inner == nil {
			continue
		}
		found++
		object(wrappedShapes[name])(v, join(at, name), inner)
	}
	if found != 1 {
		v.report("CARD-AUTH-002", at, "has %d of %s; it must have one", found,
			strings.Join(slices.Sorted(maps.Keys(wrappedShapes)), ", "))
	}
}

func (v *validation) typedScheme(at string, s map[string]any) {
	kind := stringIn(s, "type")
	shape, ok := schemeShapes[kind]
	if !ok || kind == "mutualTLS" && v.form == cards.Form02 {
		v.report("CARD-AUTH-002", join(at, "type"), "%q is none of the types that %s has: %s", kind, v.form,
			strings.Join(v.types(), ", "))
		return
	}
	known := []member{{"type", always, always, text}, {"description", always, never, text}}
	if v.form == cards.FormUnion {
		for name := range wrappedShapes {
			// wrappedScheme has seen it
			known = append(known, member{name, always, never, func(*validation, string, any) {}})
		}
	}
	for _, m := range shape {
		if m.name != "description" {
			known = append(known, m)
		}
	}
	old := *v // requirements and names of 1.0 do not count here
	old.allowed, old.required = v.allowed&^in10, in03
	old.members(at, s, known)
	v.problems = old.problems
}

func (v *validation) types() []string {
	types := slices.Sorted(maps.Keys(schemeShapes))
	if v.form == cards.Form02 {
		types = slices.DeleteFunc(types, func(t string) bool { return t == "mutualTLS" })
	}
	return types
}

func location(v *validation, at string, value any) {
	switch value {
	case "query", "header", "cookie":
	default:
		v.report("CARD-AUTH-003", at, "must be query, header or cookie")
	}
}

func flows(v *validation, at string, value any) {
	all, ok := value.(map[string]any)
	if !ok {
		v.wrongType(at, "an object")
		return
	}
	found := 0
	for _, name := range slices.Sorted(maps.Keys(flowShapes)) {
		flow, there := all[name]
		if !there || flow == nil || name == "deviceCode" && v.allowed&in10 == 0 {
			continue
		}
		found++
		object(flowShapes[name])(v, join(at, name), flow)
		if name == "implicit" || name == "password" {
			v.report("CARD-AUTH-005", join(at, name), "is deprecated")
		}
	}
	if found == 0 || found > 1 && v.allowed&in10 != 0 {
		v.report("CARD-AUTH-004", at, "has %d flows", found)
	}
}

func schemes01(v *validation, at string, value any) {
	if _, one := value.(string); one {
		v.report("CARD-AUTH-007", at, "is a string; clients expect a list of strings")
		return
	}
	listOf(text)(v, at, value)
}

func credentials(v *validation, at string, value any) {
	text(v, at, value)
	if !empty(value) {
		v.report("CARD-AUTH-006", at, "can be read by anybody; hand credentials out another way")
	}
}

// signed checks that signatures can hold.
func (v *validation) signed(card map[string]any) {
	if v.form == cards.FormUnion && !empty(card["signatures"]) && card["signatures"] != nil {
		v.report("CARD-SIG-004", "signatures", "cover one of the forms that this card has; sign the form of 1.0 alone")
	}
}

func signature(v *validation, at string, value any) {
	object(signatureShape)(v, at, value)
	s, _ := value.(map[string]any)
	if signed := stringIn(s, "signature"); signed != "" {
		if _, err := base64.RawURLEncoding.DecodeString(signed); err != nil {
			v.report("CARD-SIG-003", join(at, "signature"), "is not base64url without padding")
		}
	}
	protected := stringIn(s, "protected")
	if protected == "" {
		return
	}
	var header map[string]any
	decoded, err := base64.RawURLEncoding.DecodeString(protected)
	if err != nil || json.Unmarshal(decoded, &header) != nil {
		v.report("CARD-SIG-001", join(at, "protected"), "is not a JSON object in base64url without padding")
		return
	}
	switch alg := stringIn(header, "alg"); {
	case alg == "":
		v.report("CARD-SIG-001", join(at, "protected"), "names no algorithm in alg")
	case strings.EqualFold(alg, "none"):
		v.report("CARD-SIG-001", join(at, "protected"), "says that the card is not signed: its alg is none")
	}
	if v.allowed&in10 != 0 && stringIn(header, "kid") == "" {
		v.report("CARD-SIG-002", join(at, "protected"), "names no key in kid")
	}
}
