package a2a

// Op is what a method does, whatever the version calls it.
type Op uint8

// Operations. The zero value is none of them.
const (
	_          Op = iota
	Send          // sends a message, answered once
	Stream        // sends a message, answered by events
	GetTask       // returns a task
	CancelTask    // cancels a task
	Subscribe     // follows a task by events
	ListTasks     // lists tasks of whoever asks
	PushConfig    // sets or reads who is notified of a task
	GetCard       // returns the extended card of the agent
)

// Sends reports whether the operation has the agent work on something new.
func (o Op) Sends() bool { return o == Send || o == Stream }

// Streams reports whether the operation is answered by events.
func (o Op) Streams() bool { return o == Stream || o == Subscribe }

// Versions of the protocol.
const (
	Version03 = "0.3"
	Version10 = "1.0"
)

type method struct {
	op      Op
	version string
}

// methods are those of both versions (specification 0.3.0, section 7; 1.0.1, section 9.4).
var methods = map[string]method{
	"message/send":                        {Send, Version03},
	"message/stream":                      {Stream, Version03},
	"tasks/get":                           {GetTask, Version03},
	"tasks/cancel":                        {CancelTask, Version03},
	"tasks/resubscribe":                   {Subscribe, Version03},
	"tasks/list":                          {ListTasks, Version03},
	"tasks/pushNotificationConfig/set":    {PushConfig, Version03},
	"tasks/pushNotificationConfig/get":    {PushConfig, Version03},
	"tasks/pushNotificationConfig/list":   {PushConfig, Version03},
	"tasks/pushNotificationConfig/delete": {PushConfig, Version03},
	"agent/getAuthenticatedExtendedCard":  {GetCard, Version03},

	"SendMessage":                      {Send, Version10},
	"SendStreamingMessage":             {Stream, Version10},
	"GetTask":                          {GetTask, Version10},
	"CancelTask":                       {CancelTask, Version10},
	"SubscribeToTask":                  {Subscribe, Version10},
	"ListTasks":                        {ListTasks, Version10},
	"CreateTaskPushNotificationConfig": {PushConfig, Version10},
	"GetTaskPushNotificationConfig":    {PushConfig, Version10},
	"ListTaskPushNotificationConfigs":  {PushConfig, Version10},
	"DeleteTaskPushNotificationConfig": {PushConfig, Version10},
	"GetExtendedAgentCard":             {GetCard, Version10},
}
