package movein_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// This file has a scripted service: an older version of the interface, which sends numbers and booleans as texts, [] for
// an empty object, and pages of two Contacts, and which lacks some methods.

// olderService is the scripted service. It has one List with the ID 7.
type olderService struct {
	t *testing.T

	mu       sync.Mutex
	contacts []olderContact // in order of ID
	modified int64          // time of the last change
	calls    int
	// before runs before each call. It may change the Contacts. If it returns false, the service sends no valid reply.
	before func(method string) bool
}

// olderContact is a Contact of the scripted service.
type olderContact struct {
	id, modified      int64
	email, born, note string
	unsubscribed      bool
}

// startOlder starts a service with n Contacts.
func startOlder(t *testing.T, n int) (s *olderService, url string) {
	s = &olderService{t: t, modified: 1_600_000_000, before: func(string) bool { return true }}
	for i := range n {
		s.add(fmt.Sprintf("person%d@example.com", i))
	}
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	return s, server.URL + "/api/jsonrpcserver.php"
}

// add adds a Contact. The caller holds no lock.
func (s *olderService) add(email string) *olderContact {
	s.modified++
	id := int64(1000)
	if n := len(s.contacts); n > 0 {
		id = s.contacts[n-1].id + 3
	}
	s.contacts = append(s.contacts, olderContact{id: id, modified: s.modified, email: email, born: "1980-01-31"})
	return &s.contacts[len(s.contacts)-1]
}

// remove removes the Contact at a position.
func (s *olderService) remove(i int) { s.contacts = slices.Delete(s.contacts, i, i+1) }

// ServeHTTP answers one call.
func (s *olderService) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var call struct {
		ID     int64
		Method string
		Params []json.RawMessage
	}
	if err := json.NewDecoder(r.Body).Decode(&call); err != nil {
		s.t.Errorf("read call: %v", err)
	}
	s.calls++
	if !s.before(call.Method) {
		fmt.Fprint(w, "<html>Bad Gateway</html>")
		return
	}
	reply := s.reply(call.Method, call.Params[1:])
	if reply == "" {
		fmt.Fprintf(w, `{"id":%d,"result":null,"error":{"code":104,"message":"Method Not Found"}}`, call.ID)
		return
	}
	fmt.Fprintf(w, `{"error":null,"result":%s,"id":%d}`, reply, call.ID)
}

// reply returns the result of a method, or "" if the service does not have the method.
func (s *olderService) reply(method string, params []json.RawMessage) string {
	once := func(record string) string { // a search whose offset is the third parameter from the end
		if string(params[len(params)-3]) != "0" {
			return "[]"
		}
		return "[" + record + "]"
	}
	switch method {
	case "searchFolders":
		if string(params[0]) != `"list"` {
			return "[]"
		}
		return once(`{"name":"Main","id":"3","type":"list","creation_time":"1500000000"}`)
	case "searchLists":
		return once(`{"name":["Old club"],"id":"7","folder_id":"3","country_code":"49","disallow_duplicate_contacts":"1",
			"contact_count":"` + strconv.Itoa(len(s.contacts)) + `","on_register_address":null,"creation_time":"1500000000"}`)
	case "searchFields":
		return once(`{"type":"text","name":"Email","id":"21","address_type":"email","is_mandatory":"1","length":"0"},
			{"type":"text","name":"Note","id":"22","address_type":"none","length":"10","defaults_array":[]},
			{"type":"date","name":"Born","id":"23","time_format":"","date_validation":"future"},
			{"type":"text","name":"id","id":"24"},{"type":"hologram","name":"Strange","id":"25"}`)
	case "searchMessages":
		return once(`{"id":"31","name":"Hello"},{"id":"32","name":"Blocks"}`)
	case "searchSegments":
		return once(`{"id":"51","list_id":"7","name":"Noted","criteria":"[[\"field_22\",\"not\",\"\"]]"},
			{"id":"52","list_id":"7","name":"Opened","criteria":"[[\"batch_opened\",\"exactly\",9],\"OR\",[\"batch_sent\",\"_Not \",9],[\"Note\",\"exactly\",\"x\"]]"},
			{"id":"53","list_id":"7","name":"Gone","criteria":"[[\"Gone\",\"exactly\",1]]"}`)
	case "searchSavedBlocks":
		return once(`{"id":"61","name":"Foot","creation_time":"1500000000"},{"id":"62","name":"foot"}`)
	case "getSavedBlockById":
		if string(params[0]) == "61" {
			return `[{"id":"61","name":"Foot","creation_time":"1500000000","blocks":"[{\"type\":\"line\",\"show_if\":[[\"segment_id\",\"in\",\"51,99\"]]}]"}]`
		}
		return `[{"id":"62","name":"foot","blocks":[{"type":"text","text":"x"}]}]`
	case "getMessageById":
		if string(params[0]) == "32" {
			return `[{"id":"32","name":"Blocks","subject":"s","type":"email","email_type":"blocks","is_template":"1","blocks":"[{\"type\":\"columns\",\"left\":[],\"right\":[{\"type\":\"line\",\"show_if\":[[\"field_22\",\"exactly\",\"x\"],[\"segment_id\",\"exactly\",53]]}],\"left_if\":[[\"batch_clicked\",\"in\",[7]]]}]"}]`
		}
		return `[{"html_content":"<p>Hi</p>","id":"31","name":"Hello","subject":"","attachments":"5","type":"email"}]`
	case "searchPreviousUnsubscribers":
		offset, _ := strconv.Atoi(string(params[3]))
		return s.unsubscribers(offset)
	case "searchContacts":
		return s.searchContacts(params)
	}
	return ""
}

// unsubscribers returns two entries of the Unsubscriber List from a position on. There are five, four of them of the
// same time, and two of them equal.
func (s *olderService) unsubscribers(offset int) string {
	var all []string
	for i, address := range []string{"a@example.com", "b@example.com", "b@example.com", "c@example.com", "no address"} {
		all = append(all, fmt.Sprintf(`{"time":"%d","address":"%s","address_type":"email","list_id":"7","contact_id":"%d"}`,
			1_550_000_000+min(i, 1), address, 1000))
	}
	return "[" + strings.Join(all[min(offset, 5):min(offset+2, 5)], ",") + "]"
}

// searchContacts returns at most two Contacts.
func (s *olderService) searchContacts(params []json.RawMessage) string {
	var criteria [][]any
	if err := json.Unmarshal(params[1], &criteria); err != nil {
		s.t.Errorf("criteria %s: %v", params[1], err)
	}
	found := slices.Clone(s.contacts)
	for _, c := range criteria {
		found = slices.DeleteFunc(found, func(o olderContact) bool {
			return float64(map[any]int64{"id": o.id, "last_modified_time": o.modified}[c[0]]) <= c[2].(float64)
		})
	}
	if string(params[4]) == `"last_modified_time"` {
		slices.SortFunc(found, func(a, b olderContact) int { return cmp.Compare(b.modified, a.modified) })
		found = found[:min(1, len(found))]
	}
	var rows []string
	for _, o := range found[:min(2, len(found))] {
		rows = append(rows, fmt.Sprintf(`{"is_unsubscribed":"%d","Note":%q,"Born":%q,"Email":%q,"is_active":"1",
			"last_modified_time":"%d","creation_time":"1500000001","id":"%d","double_opt_in":"1","double_opt_in_time":"1500000002"}`,
			map[bool]int{true: 1}[o.unsubscribed], o.note, o.born, o.email, o.modified, o.id))
	}
	return "[" + strings.Join(rows, ",") + "]"
}
