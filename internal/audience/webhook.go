package audience

// Webhook posts what happens to Lists or Contacts to a URL.
type Webhook struct {
	ID               WebhookID
	AccountID        AccountID
	ListID           ListID // 0: all Lists of the Account
	Object           WebhookObject
	Event            WebhookEventType
	CreationTime     int64
	LastModifiedTime int64

	Target    WebhookTargetID
	URL       string // of the target, as is all that follows
	Secret    string // "whsec_" and the key in base64, as Standard Webhooks has it
	IsFailing bool   // given up on; its events are kept
	LastError string // of the last try, "" when that went well; not kept up in a Schema
}

// WebhookTarget is where webhooks post to. Those of an Account that agree in
// URL and secret share one, so that what they hear of arrives together and in
// order. decisions.md: 52
type WebhookTarget struct {
	ID         WebhookTargetID
	URL        string
	Secret     string
	IsFailing  bool
	IsOrphaned bool // no webhook has it any more

	Failures  int64 // in a row
	NextTime  int64 // not before this
	CallTime  int64 // when a wake-up was stored that waits; 0: none does
	LeaseTime int64 // the holder is at it until then
	Holder    int64 // the job that is at it, or was last
	Batch     string
	BatchUpto int64 // the last event of the batch that is being tried
	LastError string
}

// WebhookObject is what a webhook is about.
type WebhookObject string

// The objects.
const (
	AboutList    WebhookObject = "list"
	AboutContact WebhookObject = "contact"
)

// WebhookEventType is what a webhook hears of.
type WebhookEventType string

// The events of webhooks: those of Lists and Contacts, and what one alone has.
const (
	WebhookCreated      WebhookEventType = "created"
	WebhookUpdated      WebhookEventType = "updated"
	WebhookRemoved      WebhookEventType = "removed"
	WebhookBulkUpdated  WebhookEventType = "bulk_updated" // Lists: over 100 Contacts changed by one call, or cleared
	WebhookSubscribed   WebhookEventType = "subscribed"   // Contacts, as are the rest
	WebhookUnsubscribed WebhookEventType = "unsubscribed"
	WebhookDeactivated  WebhookEventType = "deactivated"
	WebhookReactivated  WebhookEventType = "reactivated"
)

// WebhookEvent is one thing that happened, on its way to one webhook.
type WebhookEvent struct {
	ID      int64 // counts up: the order
	Target  WebhookTargetID
	Webhook WebhookID
	List    ListID
	Contact ContactID // 0 for an event of a List
	Object  WebhookObject
	Event   WebhookEventType
	Time    int64
}

// tell stores events of a Contact (contact 0: of its List) for every webhook
// that listens to them, in the order given.
func publishWebhook(tx Tx, schema *Schema, contact ContactID, now int64, events ...WebhookEventType) error {
	if len(schema.Webhooks) == 0 {
		return nil
	}
	object := AboutContact
	if contact == 0 {
		object = AboutList
	}
	for _, event := range events {
		for i := range schema.Webhooks {
			w := &schema.Webhooks[i]
			if w.Object != object || w.Event != event {
				continue
			}
			err := tx.AddWebhookEvent(&WebhookEvent{Target: w.Target, Webhook: w.ID, List: schema.List.ID,
				Contact: contact, Object: object, Event: event, Time: now})
			if err != nil {
				return err
			}
			if w.IsFailing {
				continue // kept until somebody sends them again
			}
			if err := scheduleDelivery(tx, w.Target, now); err != nil {
				return err
			}
		}
	}
	return nil
}

// wakeUpLife is how long a wake-up is waited for, in seconds: then somebody has
// removed the job, or very many are before it.
const wakeUpLife = 60

// wake stores a wake-up for a target, unless one waits already: under load
// there are more events than jobs can be taken up.
func scheduleDelivery(tx Tx, id WebhookTargetID, now int64) error {
	may, err := tx.MarkWebhookScheduled(id, now, now-wakeUpLife)
	if err != nil || !may {
		return err
	}
	return tx.Enqueue(DeliverWebhook{id})
}
