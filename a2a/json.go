// SPDX-License-Identifier: Apache-2.0

package a2a

import "github.com/go-json-experiment/json/jsontext"

// This file gives every type its methods of JSON, so that encoding/json and json/v2 agree on them. They all do the same
// in terms of the type's write method and its object table.

// AppendJSON appends the JSON of v to dst, in one line. After an error dst is as it was.
func (v *Task) AppendJSON(dst []byte) ([]byte, error) { return appendJSON(dst, v, (*writer).task) }

// MarshalJSON implements json.Marshaler.
func (v Task) MarshalJSON() ([]byte, error) { return v.AppendJSON(nil) }

// MarshalJSONTo implements the Marshaler of json/v2.
func (v Task) MarshalJSONTo(e *jsontext.Encoder) error { return writeValue(e, v.MarshalJSON) }

// UnmarshalJSON implements json.Unmarshaler, see [Unmarshal].
func (v *Task) UnmarshalJSON(data []byte) error { return Unmarshal(data, v) }

// UnmarshalJSONFrom implements the Unmarshaler of json/v2, see [Unmarshal].
func (v *Task) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	return decodeWith(d, v, taskObject.read)
}

// AppendJSON appends the JSON of v to dst, in one line. After an error dst is as it was.
func (v *Message) AppendJSON(dst []byte) ([]byte, error) {
	return appendJSON(dst, v, (*writer).message)
}

// MarshalJSON implements json.Marshaler.
func (v Message) MarshalJSON() ([]byte, error) { return v.AppendJSON(nil) }

// MarshalJSONTo implements the Marshaler of json/v2.
func (v Message) MarshalJSONTo(e *jsontext.Encoder) error { return writeValue(e, v.MarshalJSON) }

// UnmarshalJSON implements json.Unmarshaler, see [Unmarshal].
func (v *Message) UnmarshalJSON(data []byte) error { return Unmarshal(data, v) }

// UnmarshalJSONFrom implements the Unmarshaler of json/v2, see [Unmarshal].
func (v *Message) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	return decodeWith(d, v, messageObject.read)
}

// AppendJSON appends the JSON of v to dst, in one line. After an error dst is as it was.
func (v *Part) AppendJSON(dst []byte) ([]byte, error) { return appendJSON(dst, v, (*writer).part) }

// MarshalJSON implements json.Marshaler.
func (v Part) MarshalJSON() ([]byte, error) { return v.AppendJSON(nil) }

// MarshalJSONTo implements the Marshaler of json/v2.
func (v Part) MarshalJSONTo(e *jsontext.Encoder) error { return writeValue(e, v.MarshalJSON) }

// UnmarshalJSON implements json.Unmarshaler, see [Unmarshal].
func (v *Part) UnmarshalJSON(data []byte) error { return Unmarshal(data, v) }

// UnmarshalJSONFrom implements the Unmarshaler of json/v2, see [Unmarshal].
func (v *Part) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	return decodeWith(d, v, partObject.read)
}

// AppendJSON appends the JSON of v to dst, in one line. After an error dst is as it was.
func (v *Artifact) AppendJSON(dst []byte) ([]byte, error) {
	return appendJSON(dst, v, (*writer).artifact)
}

// MarshalJSON implements json.Marshaler.
func (v Artifact) MarshalJSON() ([]byte, error) { return v.AppendJSON(nil) }

// MarshalJSONTo implements the Marshaler of json/v2.
func (v Artifact) MarshalJSONTo(e *jsontext.Encoder) error { return writeValue(e, v.MarshalJSON) }

// UnmarshalJSON implements json.Unmarshaler, see [Unmarshal].
func (v *Artifact) UnmarshalJSON(data []byte) error { return Unmarshal(data, v) }

// UnmarshalJSONFrom implements the Unmarshaler of json/v2, see [Unmarshal].
func (v *Artifact) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	return decodeWith(d, v, artifactObject.read)
}

// AppendJSON appends the JSON of v to dst, in one line. After an error dst is as it was.
func (v *TaskStatus) AppendJSON(dst []byte) ([]byte, error) {
	return appendJSON(dst, v, (*writer).taskStatus)
}

// MarshalJSON implements json.Marshaler.
func (v TaskStatus) MarshalJSON() ([]byte, error) { return v.AppendJSON(nil) }

// MarshalJSONTo implements the Marshaler of json/v2.
func (v TaskStatus) MarshalJSONTo(e *jsontext.Encoder) error { return writeValue(e, v.MarshalJSON) }

// UnmarshalJSON implements json.Unmarshaler, see [Unmarshal].
func (v *TaskStatus) UnmarshalJSON(data []byte) error { return Unmarshal(data, v) }

// UnmarshalJSONFrom implements the Unmarshaler of json/v2, see [Unmarshal].
func (v *TaskStatus) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	return decodeWith(d, v, taskStatusObject.read)
}

// AppendJSON appends the JSON of v to dst, in one line. After an error dst is as it was.
func (v *StatusUpdate) AppendJSON(dst []byte) ([]byte, error) {
	return appendJSON(dst, v, (*writer).statusUpdate)
}

// MarshalJSON implements json.Marshaler.
func (v StatusUpdate) MarshalJSON() ([]byte, error) { return v.AppendJSON(nil) }

// MarshalJSONTo implements the Marshaler of json/v2.
func (v StatusUpdate) MarshalJSONTo(e *jsontext.Encoder) error { return writeValue(e, v.MarshalJSON) }

// UnmarshalJSON implements json.Unmarshaler, see [Unmarshal].
func (v *StatusUpdate) UnmarshalJSON(data []byte) error { return Unmarshal(data, v) }

// UnmarshalJSONFrom implements the Unmarshaler of json/v2, see [Unmarshal].
func (v *StatusUpdate) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	return decodeWith(d, v, statusUpdateObject.read)
}

// AppendJSON appends the JSON of v to dst, in one line. After an error dst is as it was.
func (v *ArtifactUpdate) AppendJSON(dst []byte) ([]byte, error) {
	return appendJSON(dst, v, (*writer).artifactUpdate)
}

// MarshalJSON implements json.Marshaler.
func (v ArtifactUpdate) MarshalJSON() ([]byte, error) { return v.AppendJSON(nil) }

// MarshalJSONTo implements the Marshaler of json/v2.
func (v ArtifactUpdate) MarshalJSONTo(e *jsontext.Encoder) error { return writeValue(e, v.MarshalJSON) }

// UnmarshalJSON implements json.Unmarshaler, see [Unmarshal].
func (v *ArtifactUpdate) UnmarshalJSON(data []byte) error { return Unmarshal(data, v) }

// UnmarshalJSONFrom implements the Unmarshaler of json/v2, see [Unmarshal].
func (v *ArtifactUpdate) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	return decodeWith(d, v, artifactUpdateObject.read)
}

// AppendJSON appends the JSON of v to dst, in one line. After an error dst is as it was.
func (v *SendMessageRequest) AppendJSON(dst []byte) ([]byte, error) {
	return appendJSON(dst, v, (*writer).sendMessageRequest)
}

// MarshalJSON implements json.Marshaler.
func (v SendMessageRequest) MarshalJSON() ([]byte, error) { return v.AppendJSON(nil) }

// MarshalJSONTo implements the Marshaler of json/v2.
func (v SendMessageRequest) MarshalJSONTo(e *jsontext.Encoder) error {
	return writeValue(e, v.MarshalJSON)
}

// UnmarshalJSON implements json.Unmarshaler, see [Unmarshal].
func (v *SendMessageRequest) UnmarshalJSON(data []byte) error { return Unmarshal(data, v) }

// UnmarshalJSONFrom implements the Unmarshaler of json/v2, see [Unmarshal].
func (v *SendMessageRequest) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	return decodeWith(d, v, sendMessageRequestObject.read)
}

// AppendJSON appends the JSON of v to dst, in one line. After an error dst is as it was.
func (v *SendConfiguration) AppendJSON(dst []byte) ([]byte, error) {
	return appendJSON(dst, v, (*writer).sendConfiguration)
}

// MarshalJSON implements json.Marshaler.
func (v SendConfiguration) MarshalJSON() ([]byte, error) { return v.AppendJSON(nil) }

// MarshalJSONTo implements the Marshaler of json/v2.
func (v SendConfiguration) MarshalJSONTo(e *jsontext.Encoder) error {
	return writeValue(e, v.MarshalJSON)
}

// UnmarshalJSON implements json.Unmarshaler, see [Unmarshal].
func (v *SendConfiguration) UnmarshalJSON(data []byte) error { return Unmarshal(data, v) }

// UnmarshalJSONFrom implements the Unmarshaler of json/v2, see [Unmarshal].
func (v *SendConfiguration) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	return decodeWith(d, v, sendConfigurationObject.read)
}

// AppendJSON appends the JSON of v to dst, in one line. After an error dst is as it was.
func (v *GetTaskRequest) AppendJSON(dst []byte) ([]byte, error) {
	return appendJSON(dst, v, (*writer).getTaskRequest)
}

// MarshalJSON implements json.Marshaler.
func (v GetTaskRequest) MarshalJSON() ([]byte, error) { return v.AppendJSON(nil) }

// MarshalJSONTo implements the Marshaler of json/v2.
func (v GetTaskRequest) MarshalJSONTo(e *jsontext.Encoder) error { return writeValue(e, v.MarshalJSON) }

// UnmarshalJSON implements json.Unmarshaler, see [Unmarshal].
func (v *GetTaskRequest) UnmarshalJSON(data []byte) error { return Unmarshal(data, v) }

// UnmarshalJSONFrom implements the Unmarshaler of json/v2, see [Unmarshal].
func (v *GetTaskRequest) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	return decodeWith(d, v, getTaskRequestObject.read)
}

// AppendJSON appends the JSON of v to dst, in one line. After an error dst is as it was.
func (v *ListTasksRequest) AppendJSON(dst []byte) ([]byte, error) {
	return appendJSON(dst, v, (*writer).listTasksRequest)
}

// MarshalJSON implements json.Marshaler.
func (v ListTasksRequest) MarshalJSON() ([]byte, error) { return v.AppendJSON(nil) }

// MarshalJSONTo implements the Marshaler of json/v2.
func (v ListTasksRequest) MarshalJSONTo(e *jsontext.Encoder) error {
	return writeValue(e, v.MarshalJSON)
}

// UnmarshalJSON implements json.Unmarshaler, see [Unmarshal].
func (v *ListTasksRequest) UnmarshalJSON(data []byte) error { return Unmarshal(data, v) }

// UnmarshalJSONFrom implements the Unmarshaler of json/v2, see [Unmarshal].
func (v *ListTasksRequest) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	return decodeWith(d, v, listTasksRequestObject.read)
}

// AppendJSON appends the JSON of v to dst, in one line. After an error dst is as it was.
func (v *ListTasksResponse) AppendJSON(dst []byte) ([]byte, error) {
	return appendJSON(dst, v, (*writer).listTasksResponse)
}

// MarshalJSON implements json.Marshaler.
func (v ListTasksResponse) MarshalJSON() ([]byte, error) { return v.AppendJSON(nil) }

// MarshalJSONTo implements the Marshaler of json/v2.
func (v ListTasksResponse) MarshalJSONTo(e *jsontext.Encoder) error {
	return writeValue(e, v.MarshalJSON)
}

// UnmarshalJSON implements json.Unmarshaler, see [Unmarshal].
func (v *ListTasksResponse) UnmarshalJSON(data []byte) error { return Unmarshal(data, v) }

// UnmarshalJSONFrom implements the Unmarshaler of json/v2, see [Unmarshal].
func (v *ListTasksResponse) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	return decodeWith(d, v, listTasksResponseObject.read)
}

// AppendJSON appends the JSON of v to dst, in one line. After an error dst is as it was.
func (v *CancelTaskRequest) AppendJSON(dst []byte) ([]byte, error) {
	return appendJSON(dst, v, (*writer).cancelTaskRequest)
}

// MarshalJSON implements json.Marshaler.
func (v CancelTaskRequest) MarshalJSON() ([]byte, error) { return v.AppendJSON(nil) }

// MarshalJSONTo implements the Marshaler of json/v2.
func (v CancelTaskRequest) MarshalJSONTo(e *jsontext.Encoder) error {
	return writeValue(e, v.MarshalJSON)
}

// UnmarshalJSON implements json.Unmarshaler, see [Unmarshal].
func (v *CancelTaskRequest) UnmarshalJSON(data []byte) error { return Unmarshal(data, v) }

// UnmarshalJSONFrom implements the Unmarshaler of json/v2, see [Unmarshal].
func (v *CancelTaskRequest) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	return decodeWith(d, v, cancelTaskRequestObject.read)
}

// AppendJSON appends the JSON of v to dst, in one line. After an error dst is as it was.
func (v *SubscribeRequest) AppendJSON(dst []byte) ([]byte, error) {
	return appendJSON(dst, v, (*writer).subscribeRequest)
}

// MarshalJSON implements json.Marshaler.
func (v SubscribeRequest) MarshalJSON() ([]byte, error) { return v.AppendJSON(nil) }

// MarshalJSONTo implements the Marshaler of json/v2.
func (v SubscribeRequest) MarshalJSONTo(e *jsontext.Encoder) error {
	return writeValue(e, v.MarshalJSON)
}

// UnmarshalJSON implements json.Unmarshaler, see [Unmarshal].
func (v *SubscribeRequest) UnmarshalJSON(data []byte) error { return Unmarshal(data, v) }

// UnmarshalJSONFrom implements the Unmarshaler of json/v2, see [Unmarshal].
func (v *SubscribeRequest) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	return decodeWith(d, v, subscribeRequestObject.read)
}

// AppendJSON appends the JSON of v to dst, in one line. After an error dst is as it was.
func (v *PushConfig) AppendJSON(dst []byte) ([]byte, error) {
	return appendJSON(dst, v, (*writer).pushConfig)
}

// MarshalJSON implements json.Marshaler.
func (v PushConfig) MarshalJSON() ([]byte, error) { return v.AppendJSON(nil) }

// MarshalJSONTo implements the Marshaler of json/v2.
func (v PushConfig) MarshalJSONTo(e *jsontext.Encoder) error { return writeValue(e, v.MarshalJSON) }

// UnmarshalJSON implements json.Unmarshaler, see [Unmarshal].
func (v *PushConfig) UnmarshalJSON(data []byte) error { return Unmarshal(data, v) }

// UnmarshalJSONFrom implements the Unmarshaler of json/v2, see [Unmarshal].
func (v *PushConfig) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	return decodeWith(d, v, pushConfigObject.read)
}

// AppendJSON appends the JSON of v to dst, in one line. After an error dst is as it was.
func (v *PushAuthentication) AppendJSON(dst []byte) ([]byte, error) {
	return appendJSON(dst, v, (*writer).pushAuthentication)
}

// MarshalJSON implements json.Marshaler.
func (v PushAuthentication) MarshalJSON() ([]byte, error) { return v.AppendJSON(nil) }

// MarshalJSONTo implements the Marshaler of json/v2.
func (v PushAuthentication) MarshalJSONTo(e *jsontext.Encoder) error {
	return writeValue(e, v.MarshalJSON)
}

// UnmarshalJSON implements json.Unmarshaler, see [Unmarshal].
func (v *PushAuthentication) UnmarshalJSON(data []byte) error { return Unmarshal(data, v) }

// UnmarshalJSONFrom implements the Unmarshaler of json/v2, see [Unmarshal].
func (v *PushAuthentication) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	return decodeWith(d, v, pushAuthenticationObject.read)
}

// AppendJSON appends the JSON of v to dst, in one line. After an error dst is as it was.
func (v *GetPushConfigRequest) AppendJSON(dst []byte) ([]byte, error) {
	return appendJSON(dst, v, (*writer).getPushConfigRequest)
}

// MarshalJSON implements json.Marshaler.
func (v GetPushConfigRequest) MarshalJSON() ([]byte, error) { return v.AppendJSON(nil) }

// MarshalJSONTo implements the Marshaler of json/v2.
func (v GetPushConfigRequest) MarshalJSONTo(e *jsontext.Encoder) error {
	return writeValue(e, v.MarshalJSON)
}

// UnmarshalJSON implements json.Unmarshaler, see [Unmarshal].
func (v *GetPushConfigRequest) UnmarshalJSON(data []byte) error { return Unmarshal(data, v) }

// UnmarshalJSONFrom implements the Unmarshaler of json/v2, see [Unmarshal].
func (v *GetPushConfigRequest) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	return decodeWith(d, v, getPushConfigRequestObject.read)
}

// AppendJSON appends the JSON of v to dst, in one line. After an error dst is as it was.
func (v *ListPushConfigsRequest) AppendJSON(dst []byte) ([]byte, error) {
	return appendJSON(dst, v, (*writer).listPushConfigsRequest)
}

// MarshalJSON implements json.Marshaler.
func (v ListPushConfigsRequest) MarshalJSON() ([]byte, error) { return v.AppendJSON(nil) }

// MarshalJSONTo implements the Marshaler of json/v2.
func (v ListPushConfigsRequest) MarshalJSONTo(e *jsontext.Encoder) error {
	return writeValue(e, v.MarshalJSON)
}

// UnmarshalJSON implements json.Unmarshaler, see [Unmarshal].
func (v *ListPushConfigsRequest) UnmarshalJSON(data []byte) error { return Unmarshal(data, v) }

// UnmarshalJSONFrom implements the Unmarshaler of json/v2, see [Unmarshal].
func (v *ListPushConfigsRequest) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	return decodeWith(d, v, listPushConfigsRequestObject.read)
}

// AppendJSON appends the JSON of v to dst, in one line. After an error dst is as it was.
func (v *ListPushConfigsResponse) AppendJSON(dst []byte) ([]byte, error) {
	return appendJSON(dst, v, (*writer).listPushConfigsResponse)
}

// MarshalJSON implements json.Marshaler.
func (v ListPushConfigsResponse) MarshalJSON() ([]byte, error) { return v.AppendJSON(nil) }

// MarshalJSONTo implements the Marshaler of json/v2.
func (v ListPushConfigsResponse) MarshalJSONTo(e *jsontext.Encoder) error {
	return writeValue(e, v.MarshalJSON)
}

// UnmarshalJSON implements json.Unmarshaler, see [Unmarshal].
func (v *ListPushConfigsResponse) UnmarshalJSON(data []byte) error { return Unmarshal(data, v) }

// UnmarshalJSONFrom implements the Unmarshaler of json/v2, see [Unmarshal].
func (v *ListPushConfigsResponse) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	return decodeWith(d, v, listPushConfigsResponseObject.read)
}

// AppendJSON appends the JSON of v to dst, in one line. After an error dst is as it was.
func (v *DeletePushConfigRequest) AppendJSON(dst []byte) ([]byte, error) {
	return appendJSON(dst, v, (*writer).deletePushConfigRequest)
}

// MarshalJSON implements json.Marshaler.
func (v DeletePushConfigRequest) MarshalJSON() ([]byte, error) { return v.AppendJSON(nil) }

// MarshalJSONTo implements the Marshaler of json/v2.
func (v DeletePushConfigRequest) MarshalJSONTo(e *jsontext.Encoder) error {
	return writeValue(e, v.MarshalJSON)
}

// UnmarshalJSON implements json.Unmarshaler, see [Unmarshal].
func (v *DeletePushConfigRequest) UnmarshalJSON(data []byte) error { return Unmarshal(data, v) }

// UnmarshalJSONFrom implements the Unmarshaler of json/v2, see [Unmarshal].
func (v *DeletePushConfigRequest) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	return decodeWith(d, v, deletePushConfigRequestObject.read)
}

// AppendJSON appends the JSON of v to dst, in one line. After an error dst is as it was.
func (v *ExtendedCardRequest) AppendJSON(dst []byte) ([]byte, error) {
	return appendJSON(dst, v, (*writer).extendedCardRequest)
}

// MarshalJSON implements json.Marshaler.
func (v ExtendedCardRequest) MarshalJSON() ([]byte, error) { return v.AppendJSON(nil) }

// MarshalJSONTo implements the Marshaler of json/v2.
func (v ExtendedCardRequest) MarshalJSONTo(e *jsontext.Encoder) error {
	return writeValue(e, v.MarshalJSON)
}

// UnmarshalJSON implements json.Unmarshaler, see [Unmarshal].
func (v *ExtendedCardRequest) UnmarshalJSON(data []byte) error { return Unmarshal(data, v) }

// UnmarshalJSONFrom implements the Unmarshaler of json/v2, see [Unmarshal].
func (v *ExtendedCardRequest) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	return decodeWith(d, v, extendedCardRequestObject.read)
}

// AppendJSON appends the JSON of v to dst, in one line. After an error dst is as it was.
func (v *AgentCard) AppendJSON(dst []byte) ([]byte, error) {
	return appendJSON(dst, v, (*writer).agentCard)
}

// MarshalJSON implements json.Marshaler.
func (v AgentCard) MarshalJSON() ([]byte, error) { return v.AppendJSON(nil) }

// MarshalJSONTo implements the Marshaler of json/v2.
func (v AgentCard) MarshalJSONTo(e *jsontext.Encoder) error { return writeValue(e, v.MarshalJSON) }

// UnmarshalJSON implements json.Unmarshaler, see [Unmarshal].
func (v *AgentCard) UnmarshalJSON(data []byte) error { return Unmarshal(data, v) }

// UnmarshalJSONFrom implements the Unmarshaler of json/v2, see [Unmarshal].
func (v *AgentCard) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	return decodeWith(d, v, agentCardObject.read)
}

// AppendJSON appends the JSON of v to dst, in one line. After an error dst is as it was.
func (v *AgentInterface) AppendJSON(dst []byte) ([]byte, error) {
	return appendJSON(dst, v, (*writer).agentInterface)
}

// MarshalJSON implements json.Marshaler.
func (v AgentInterface) MarshalJSON() ([]byte, error) { return v.AppendJSON(nil) }

// MarshalJSONTo implements the Marshaler of json/v2.
func (v AgentInterface) MarshalJSONTo(e *jsontext.Encoder) error { return writeValue(e, v.MarshalJSON) }

// UnmarshalJSON implements json.Unmarshaler, see [Unmarshal].
func (v *AgentInterface) UnmarshalJSON(data []byte) error { return Unmarshal(data, v) }

// UnmarshalJSONFrom implements the Unmarshaler of json/v2, see [Unmarshal].
func (v *AgentInterface) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	return decodeWith(d, v, agentInterfaceObject.read)
}

// AppendJSON appends the JSON of v to dst, in one line. After an error dst is as it was.
func (v *AgentProvider) AppendJSON(dst []byte) ([]byte, error) {
	return appendJSON(dst, v, (*writer).agentProvider)
}

// MarshalJSON implements json.Marshaler.
func (v AgentProvider) MarshalJSON() ([]byte, error) { return v.AppendJSON(nil) }

// MarshalJSONTo implements the Marshaler of json/v2.
func (v AgentProvider) MarshalJSONTo(e *jsontext.Encoder) error { return writeValue(e, v.MarshalJSON) }

// UnmarshalJSON implements json.Unmarshaler, see [Unmarshal].
func (v *AgentProvider) UnmarshalJSON(data []byte) error { return Unmarshal(data, v) }

// UnmarshalJSONFrom implements the Unmarshaler of json/v2, see [Unmarshal].
func (v *AgentProvider) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	return decodeWith(d, v, agentProviderObject.read)
}

// AppendJSON appends the JSON of v to dst, in one line. After an error dst is as it was.
func (v *AgentCapabilities) AppendJSON(dst []byte) ([]byte, error) {
	return appendJSON(dst, v, (*writer).agentCapabilities)
}

// MarshalJSON implements json.Marshaler.
func (v AgentCapabilities) MarshalJSON() ([]byte, error) { return v.AppendJSON(nil) }

// MarshalJSONTo implements the Marshaler of json/v2.
func (v AgentCapabilities) MarshalJSONTo(e *jsontext.Encoder) error {
	return writeValue(e, v.MarshalJSON)
}

// UnmarshalJSON implements json.Unmarshaler, see [Unmarshal].
func (v *AgentCapabilities) UnmarshalJSON(data []byte) error { return Unmarshal(data, v) }

// UnmarshalJSONFrom implements the Unmarshaler of json/v2, see [Unmarshal].
func (v *AgentCapabilities) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	return decodeWith(d, v, agentCapabilitiesObject.read)
}

// AppendJSON appends the JSON of v to dst, in one line. After an error dst is as it was.
func (v *AgentExtension) AppendJSON(dst []byte) ([]byte, error) {
	return appendJSON(dst, v, (*writer).agentExtension)
}

// MarshalJSON implements json.Marshaler.
func (v AgentExtension) MarshalJSON() ([]byte, error) { return v.AppendJSON(nil) }

// MarshalJSONTo implements the Marshaler of json/v2.
func (v AgentExtension) MarshalJSONTo(e *jsontext.Encoder) error { return writeValue(e, v.MarshalJSON) }

// UnmarshalJSON implements json.Unmarshaler, see [Unmarshal].
func (v *AgentExtension) UnmarshalJSON(data []byte) error { return Unmarshal(data, v) }

// UnmarshalJSONFrom implements the Unmarshaler of json/v2, see [Unmarshal].
func (v *AgentExtension) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	return decodeWith(d, v, agentExtensionObject.read)
}

// AppendJSON appends the JSON of v to dst, in one line. After an error dst is as it was.
func (v *AgentSkill) AppendJSON(dst []byte) ([]byte, error) {
	return appendJSON(dst, v, (*writer).agentSkill)
}

// MarshalJSON implements json.Marshaler.
func (v AgentSkill) MarshalJSON() ([]byte, error) { return v.AppendJSON(nil) }

// MarshalJSONTo implements the Marshaler of json/v2.
func (v AgentSkill) MarshalJSONTo(e *jsontext.Encoder) error { return writeValue(e, v.MarshalJSON) }

// UnmarshalJSON implements json.Unmarshaler, see [Unmarshal].
func (v *AgentSkill) UnmarshalJSON(data []byte) error { return Unmarshal(data, v) }

// UnmarshalJSONFrom implements the Unmarshaler of json/v2, see [Unmarshal].
func (v *AgentSkill) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	return decodeWith(d, v, agentSkillObject.read)
}

// AppendJSON appends the JSON of v to dst, in one line. After an error dst is as it was.
func (v *AgentCardSignature) AppendJSON(dst []byte) ([]byte, error) {
	return appendJSON(dst, v, (*writer).agentCardSignature)
}

// MarshalJSON implements json.Marshaler.
func (v AgentCardSignature) MarshalJSON() ([]byte, error) { return v.AppendJSON(nil) }

// MarshalJSONTo implements the Marshaler of json/v2.
func (v AgentCardSignature) MarshalJSONTo(e *jsontext.Encoder) error {
	return writeValue(e, v.MarshalJSON)
}

// UnmarshalJSON implements json.Unmarshaler, see [Unmarshal].
func (v *AgentCardSignature) UnmarshalJSON(data []byte) error { return Unmarshal(data, v) }

// UnmarshalJSONFrom implements the Unmarshaler of json/v2, see [Unmarshal].
func (v *AgentCardSignature) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	return decodeWith(d, v, agentCardSignatureObject.read)
}

// AppendJSON appends the JSON of v to dst, in one line. After an error dst is as it was.
func (v *SecurityRequirement) AppendJSON(dst []byte) ([]byte, error) {
	return appendJSON(dst, v, (*writer).securityRequirement)
}

// MarshalJSON implements json.Marshaler.
func (v SecurityRequirement) MarshalJSON() ([]byte, error) { return v.AppendJSON(nil) }

// MarshalJSONTo implements the Marshaler of json/v2.
func (v SecurityRequirement) MarshalJSONTo(e *jsontext.Encoder) error {
	return writeValue(e, v.MarshalJSON)
}

// UnmarshalJSON implements json.Unmarshaler, see [Unmarshal].
func (v *SecurityRequirement) UnmarshalJSON(data []byte) error { return Unmarshal(data, v) }

// UnmarshalJSONFrom implements the Unmarshaler of json/v2, see [Unmarshal].
func (v *SecurityRequirement) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	return decodeWith(d, v, securityRequirementObject.read)
}

// AppendJSON appends the JSON of v to dst, in one line. After an error dst is as it was.
func (v *APIKeyScheme) AppendJSON(dst []byte) ([]byte, error) {
	return appendJSON(dst, v, (*writer).apiKeyScheme)
}

// MarshalJSON implements json.Marshaler.
func (v APIKeyScheme) MarshalJSON() ([]byte, error) { return v.AppendJSON(nil) }

// MarshalJSONTo implements the Marshaler of json/v2.
func (v APIKeyScheme) MarshalJSONTo(e *jsontext.Encoder) error { return writeValue(e, v.MarshalJSON) }

// UnmarshalJSON implements json.Unmarshaler, see [Unmarshal].
func (v *APIKeyScheme) UnmarshalJSON(data []byte) error { return Unmarshal(data, v) }

// UnmarshalJSONFrom implements the Unmarshaler of json/v2, see [Unmarshal].
func (v *APIKeyScheme) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	return decodeWith(d, v, apiKeySchemeObject.read)
}

// AppendJSON appends the JSON of v to dst, in one line. After an error dst is as it was.
func (v *HTTPAuthScheme) AppendJSON(dst []byte) ([]byte, error) {
	return appendJSON(dst, v, (*writer).httpAuthScheme)
}

// MarshalJSON implements json.Marshaler.
func (v HTTPAuthScheme) MarshalJSON() ([]byte, error) { return v.AppendJSON(nil) }

// MarshalJSONTo implements the Marshaler of json/v2.
func (v HTTPAuthScheme) MarshalJSONTo(e *jsontext.Encoder) error { return writeValue(e, v.MarshalJSON) }

// UnmarshalJSON implements json.Unmarshaler, see [Unmarshal].
func (v *HTTPAuthScheme) UnmarshalJSON(data []byte) error { return Unmarshal(data, v) }

// UnmarshalJSONFrom implements the Unmarshaler of json/v2, see [Unmarshal].
func (v *HTTPAuthScheme) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	return decodeWith(d, v, httpAuthSchemeObject.read)
}

// AppendJSON appends the JSON of v to dst, in one line. After an error dst is as it was.
func (v *OAuth2Scheme) AppendJSON(dst []byte) ([]byte, error) {
	return appendJSON(dst, v, (*writer).oauth2Scheme)
}

// MarshalJSON implements json.Marshaler.
func (v OAuth2Scheme) MarshalJSON() ([]byte, error) { return v.AppendJSON(nil) }

// MarshalJSONTo implements the Marshaler of json/v2.
func (v OAuth2Scheme) MarshalJSONTo(e *jsontext.Encoder) error { return writeValue(e, v.MarshalJSON) }

// UnmarshalJSON implements json.Unmarshaler, see [Unmarshal].
func (v *OAuth2Scheme) UnmarshalJSON(data []byte) error { return Unmarshal(data, v) }

// UnmarshalJSONFrom implements the Unmarshaler of json/v2, see [Unmarshal].
func (v *OAuth2Scheme) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	return decodeWith(d, v, oauth2SchemeObject.read)
}

// AppendJSON appends the JSON of v to dst, in one line. After an error dst is as it was.
func (v *OpenIDConnectScheme) AppendJSON(dst []byte) ([]byte, error) {
	return appendJSON(dst, v, (*writer).openIDConnectScheme)
}

// MarshalJSON implements json.Marshaler.
func (v OpenIDConnectScheme) MarshalJSON() ([]byte, error) { return v.AppendJSON(nil) }

// MarshalJSONTo implements the Marshaler of json/v2.
func (v OpenIDConnectScheme) MarshalJSONTo(e *jsontext.Encoder) error {
	return writeValue(e, v.MarshalJSON)
}

// UnmarshalJSON implements json.Unmarshaler, see [Unmarshal].
func (v *OpenIDConnectScheme) UnmarshalJSON(data []byte) error { return Unmarshal(data, v) }

// UnmarshalJSONFrom implements the Unmarshaler of json/v2, see [Unmarshal].
func (v *OpenIDConnectScheme) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	return decodeWith(d, v, openIDConnectSchemeObject.read)
}

// AppendJSON appends the JSON of v to dst, in one line. After an error dst is as it was.
func (v *MutualTLSScheme) AppendJSON(dst []byte) ([]byte, error) {
	return appendJSON(dst, v, (*writer).mutualTLSScheme)
}

// MarshalJSON implements json.Marshaler.
func (v MutualTLSScheme) MarshalJSON() ([]byte, error) { return v.AppendJSON(nil) }

// MarshalJSONTo implements the Marshaler of json/v2.
func (v MutualTLSScheme) MarshalJSONTo(e *jsontext.Encoder) error {
	return writeValue(e, v.MarshalJSON)
}

// UnmarshalJSON implements json.Unmarshaler, see [Unmarshal].
func (v *MutualTLSScheme) UnmarshalJSON(data []byte) error { return Unmarshal(data, v) }

// UnmarshalJSONFrom implements the Unmarshaler of json/v2, see [Unmarshal].
func (v *MutualTLSScheme) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	return decodeWith(d, v, mutualTLSSchemeObject.read)
}

// AppendJSON appends the JSON of v to dst, in one line. After an error dst is as it was.
func (v *AuthorizationCodeFlow) AppendJSON(dst []byte) ([]byte, error) {
	return appendJSON(dst, v, (*writer).authorizationCodeFlow)
}

// MarshalJSON implements json.Marshaler.
func (v AuthorizationCodeFlow) MarshalJSON() ([]byte, error) { return v.AppendJSON(nil) }

// MarshalJSONTo implements the Marshaler of json/v2.
func (v AuthorizationCodeFlow) MarshalJSONTo(e *jsontext.Encoder) error {
	return writeValue(e, v.MarshalJSON)
}

// UnmarshalJSON implements json.Unmarshaler, see [Unmarshal].
func (v *AuthorizationCodeFlow) UnmarshalJSON(data []byte) error { return Unmarshal(data, v) }

// UnmarshalJSONFrom implements the Unmarshaler of json/v2, see [Unmarshal].
func (v *AuthorizationCodeFlow) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	return decodeWith(d, v, authorizationCodeFlowObject.read)
}

// AppendJSON appends the JSON of v to dst, in one line. After an error dst is as it was.
func (v *ClientCredentialsFlow) AppendJSON(dst []byte) ([]byte, error) {
	return appendJSON(dst, v, (*writer).clientCredentialsFlow)
}

// MarshalJSON implements json.Marshaler.
func (v ClientCredentialsFlow) MarshalJSON() ([]byte, error) { return v.AppendJSON(nil) }

// MarshalJSONTo implements the Marshaler of json/v2.
func (v ClientCredentialsFlow) MarshalJSONTo(e *jsontext.Encoder) error {
	return writeValue(e, v.MarshalJSON)
}

// UnmarshalJSON implements json.Unmarshaler, see [Unmarshal].
func (v *ClientCredentialsFlow) UnmarshalJSON(data []byte) error { return Unmarshal(data, v) }

// UnmarshalJSONFrom implements the Unmarshaler of json/v2, see [Unmarshal].
func (v *ClientCredentialsFlow) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	return decodeWith(d, v, clientCredentialsFlowObject.read)
}

// AppendJSON appends the JSON of v to dst, in one line. After an error dst is as it was.
func (v *DeviceCodeFlow) AppendJSON(dst []byte) ([]byte, error) {
	return appendJSON(dst, v, (*writer).deviceCodeFlow)
}

// MarshalJSON implements json.Marshaler.
func (v DeviceCodeFlow) MarshalJSON() ([]byte, error) { return v.AppendJSON(nil) }

// MarshalJSONTo implements the Marshaler of json/v2.
func (v DeviceCodeFlow) MarshalJSONTo(e *jsontext.Encoder) error { return writeValue(e, v.MarshalJSON) }

// UnmarshalJSON implements json.Unmarshaler, see [Unmarshal].
func (v *DeviceCodeFlow) UnmarshalJSON(data []byte) error { return Unmarshal(data, v) }

// UnmarshalJSONFrom implements the Unmarshaler of json/v2, see [Unmarshal].
func (v *DeviceCodeFlow) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	return decodeWith(d, v, deviceCodeFlowObject.read)
}

// AppendJSON appends the JSON of v to dst, in one line. After an error dst is as it was.
func (v *ImplicitFlow) AppendJSON(dst []byte) ([]byte, error) {
	return appendJSON(dst, v, (*writer).implicitFlow)
}

// MarshalJSON implements json.Marshaler.
func (v ImplicitFlow) MarshalJSON() ([]byte, error) { return v.AppendJSON(nil) }

// MarshalJSONTo implements the Marshaler of json/v2.
func (v ImplicitFlow) MarshalJSONTo(e *jsontext.Encoder) error { return writeValue(e, v.MarshalJSON) }

// UnmarshalJSON implements json.Unmarshaler, see [Unmarshal].
func (v *ImplicitFlow) UnmarshalJSON(data []byte) error { return Unmarshal(data, v) }

// UnmarshalJSONFrom implements the Unmarshaler of json/v2, see [Unmarshal].
func (v *ImplicitFlow) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	return decodeWith(d, v, implicitFlowObject.read)
}

// AppendJSON appends the JSON of v to dst, in one line. After an error dst is as it was.
func (v *PasswordFlow) AppendJSON(dst []byte) ([]byte, error) {
	return appendJSON(dst, v, (*writer).passwordFlow)
}

// MarshalJSON implements json.Marshaler.
func (v PasswordFlow) MarshalJSON() ([]byte, error) { return v.AppendJSON(nil) }

// MarshalJSONTo implements the Marshaler of json/v2.
func (v PasswordFlow) MarshalJSONTo(e *jsontext.Encoder) error { return writeValue(e, v.MarshalJSON) }

// UnmarshalJSON implements json.Unmarshaler, see [Unmarshal].
func (v *PasswordFlow) UnmarshalJSON(data []byte) error { return Unmarshal(data, v) }

// UnmarshalJSONFrom implements the Unmarshaler of json/v2, see [Unmarshal].
func (v *PasswordFlow) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	return decodeWith(d, v, passwordFlowObject.read)
}

// AppendJSON appends the JSON of v to dst, in one line. After an error dst is as it was.
func (v *StreamResponse) AppendJSON(dst []byte) ([]byte, error) {
	return appendJSON(dst, v, (*writer).streamResponse)
}

// MarshalJSON implements json.Marshaler.
func (v StreamResponse) MarshalJSON() ([]byte, error) { return v.AppendJSON(nil) }

// MarshalJSONTo implements the Marshaler of json/v2.
func (v StreamResponse) MarshalJSONTo(e *jsontext.Encoder) error { return writeValue(e, v.MarshalJSON) }

// UnmarshalJSON implements json.Unmarshaler, see [Unmarshal].
func (v *StreamResponse) UnmarshalJSON(data []byte) error { return Unmarshal(data, v) }

// UnmarshalJSONFrom implements the Unmarshaler of json/v2, see [Unmarshal].
func (v *StreamResponse) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	return decodeWith(d, v, readStreamResponse)
}

// AppendJSON appends the JSON of v to dst, in one line. After an error dst is as it was.
func (v *SendResponse) AppendJSON(dst []byte) ([]byte, error) {
	return appendJSON(dst, v, (*writer).sendResponse)
}

// MarshalJSON implements json.Marshaler.
func (v SendResponse) MarshalJSON() ([]byte, error) { return v.AppendJSON(nil) }

// MarshalJSONTo implements the Marshaler of json/v2.
func (v SendResponse) MarshalJSONTo(e *jsontext.Encoder) error { return writeValue(e, v.MarshalJSON) }

// UnmarshalJSON implements json.Unmarshaler, see [Unmarshal].
func (v *SendResponse) UnmarshalJSON(data []byte) error { return Unmarshal(data, v) }

// UnmarshalJSONFrom implements the Unmarshaler of json/v2, see [Unmarshal].
func (v *SendResponse) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	return decodeWith(d, v, readSendResponse)
}
