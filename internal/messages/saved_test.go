package messages_test

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"enlist/internal/apptest"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/files"
	"enlist/internal/messages"
)

// covers: decision 163
func TestSavedBlocks(t *testing.T) {
	apptest.Run(t, apptest.Shared, newImages, []apptest.Rule[*images]{
		{Name: "blocks are saved under a name, renamed, put into a Message without what is gone, and deleted", Test: (*images).saves},
		{Name: "blocks without a name, with one that is taken, or that no mail can show are refused", Test: (*images).savesOnlyGood},
		{Name: "blocks that are saved at the same time get different names", Test: (*images).savesAtOnce},
		{Name: "saved blocks of another Account, and those of others for a user of only some Lists, do not exist", Test: (*images).seesOwnSaved},
	})
}

func (f *images) saves() {
	image := f.upload("foot.png", onePixel)
	id, err := f.App.Messages.SaveBlocks(f.Context(), f.Caller, " Foot ", fmt.Sprintf(`[{"type":"image","file":%d},{"type":"text","text":"a"}]`, image))
	f.Must(err)
	f.Must(f.App.Messages.RenameSaved(f.Context(), f.Caller, id, "End"))
	_, err = f.App.Messages.SaveBlocks(f.Context(), f.Caller, "a head", `[{"type":"line"}]`)
	f.Must(err)
	all, err := f.App.Messages.SavedBlocks(f.Context(), f.Caller)
	f.Must(err)
	if len(all) != 2 || all[0].Name != "a head" || all[1].Name != "End" {
		f.Errorf("the saved blocks are %v", all)
	}
	f.Refused(f.App.Files.DeleteFile(f.Context(), f.Caller, image), enlist.InvalidParameters, `the saved block "End" shows the file: delete`)
	_, err = f.App.Files.UploadFile(f.Context(), f.Caller, files.UploadRequest{Folder: f.folder, OnDuplicate: "overwrite",
		Details: apptest.Details("name", "foot.png", "data", "JVBERg==")})
	f.Refused(err, enlist.InvalidParameters, "the saved block")
	f.Must(f.Store.Update(f.Context(), func(tx *db.Tx) error { return tx.Do("DELETE FROM file WHERE id = ?", int64(image)) }))
	saved, err := f.App.Messages.SavedBlock(f.Context(), f.Caller, id)
	f.Must(err)
	if want := `[{"type":"image","width":1},{"type":"text","text":"a"}]`; saved.Blocks != want {
		f.Errorf("the blocks are %s, want %s", saved.Blocks, want)
	}
	again, err := f.App.Messages.SetSaved(f.Context(), f.Caller, messages.SavedRequest{Name: " end", Blocks: enlist.TextInput(`[{"type":"line"}]`)})
	if f.Must(err); again != id {
		f.Errorf("the saved block with the name has the ID %d, want %d", again, id)
	}
	f.Must(f.App.Messages.DeleteSaved(f.Context(), f.Caller, id))
	_, err = f.App.Messages.SavedBlock(f.Context(), f.Caller, id)
	f.Refused(err, enlist.InvalidParameters, "no saved block")
}

func (f *images) savesOnlyGood() {
	_, err := f.App.Messages.SaveBlocks(f.Context(), f.Caller, "Foot", `[{"type":"line"}]`)
	f.Must(err)
	for _, c := range []struct{ name, blocks, about string }{{"", `[{"type":"line"}]`, "name"}, {"FOOT", `[{"type":"line"}]`, "of this name already"}, {"x", "[]", "expected blocks"},
		{"x", `[{"type":"film"}]`, "is none"}, {"x", "nonsense", "expected an array"}} {
		_, err := f.App.Messages.SaveBlocks(f.Context(), f.Caller, c.name, c.blocks)
		f.Refused(err, enlist.InvalidParameters, c.about)
	}
	_, err = f.App.Messages.SaveBlocks(f.Context(), f.Caller, "x", `[{"type":"image","file":99999}]`)
	f.Refused(err, enlist.NoFile, "no file")
}

func (f *images) savesAtOnce() {
	var calls sync.WaitGroup
	var stored atomic.Int64
	for i := range 8 {
		calls.Go(func() {
			save := f.App.Messages.SaveBlocks
			if i%2 == 0 {
				save = f.App.Messages.SaveBlocksAlike
			}
			if _, err := save(f.Context(), f.Caller, "Foot", `[{"type":"line"}]`); err == nil {
				stored.Add(1)
			} else {
				f.Refused(err, enlist.InvalidParameters, "of this name already")
			}
		})
	}
	calls.Wait()
	all, err := f.App.Messages.SavedBlocks(f.Context(), f.Caller)
	f.Must(err)
	names := make(map[string]bool)
	for i := range all {
		names[all[i].Name] = true
	}
	if n := int(stored.Load()); len(all) != n || len(names) != n || n < 4 || !names["Foot"] || !names["Foot (2)"] {
		f.Errorf("%d calls have stored %v", n, names)
	}
	if all[0].Blocks != "" {
		f.Errorf("the list has read the blocks %s", all[0].Blocks)
	}
	long := `[{"type":"text","text":"` + strings.Repeat("a", 32<<10) + `"}]`
	_, err = f.App.Messages.SaveBlocks(f.Context(), f.Caller, "Long", long)
	f.Refused(err, enlist.InvalidParameters, "at most 32768 bytes")
}

func (f *images) seesOwnSaved() {
	id, err := f.App.Messages.SaveBlocks(f.Context(), f.Caller, "Foot", fmt.Sprintf(`[{"type":"image","file":%d}]`, f.image))
	f.Must(err)
	restricted := f.Restricted(f.AddList("name", "One"))
	_, err = f.App.Messages.SavedBlocks(f.Context(), restricted)
	f.Refused(err, enlist.Denied, "")
	user := *restricted
	user.User = 7
	for _, c := range []*enlist.Caller{f.NewCaller(), &user} {
		all, err := f.App.Messages.SavedBlocks(f.Context(), c)
		f.Must(err)
		_, one := f.App.Messages.SavedBlock(f.Context(), c, id)
		f.Refused(one, enlist.InvalidParameters, "no saved block")
		f.Refused(f.App.Messages.RenameSaved(f.Context(), c, id, "Mine"), enlist.InvalidParameters, "no saved block")
		f.Refused(f.App.Messages.DeleteSaved(f.Context(), c, id), enlist.InvalidParameters, "no saved block")
		if len(all) != 0 {
			f.Errorf("the saved blocks are %v", all)
		}
	}
	_, err = f.App.Messages.SaveBlocks(f.Context(), &user, "Mine", fmt.Sprintf(`[{"type":"image","file":%d}]`, f.image))
	f.Refused(err, enlist.NoFile, "no file")
	_, err = f.App.Messages.SaveBlocks(f.Context(), &user, "Mine", `[{"type":"line"}]`)
	f.Must(err)
	if all, err := f.App.Messages.SavedBlocks(f.Context(), &user); err != nil || len(all) != 1 {
		f.Errorf("the user sees %v, %v", all, err)
	}
}
