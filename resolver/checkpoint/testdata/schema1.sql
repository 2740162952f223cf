CREATE TABLE runs (
	seq           INTEGER PRIMARY KEY,
	run_id        TEXT    NOT NULL UNIQUE,
	ticket        TEXT    NOT NULL,
	variant       TEXT    NOT NULL,
	model         TEXT    NOT NULL,
	status        TEXT    NOT NULL,
	updated_at    TEXT    NOT NULL,
	model_calls   INTEGER NOT NULL,
	input_tokens  INTEGER NOT NULL,
	output_tokens INTEGER NOT NULL,
	version       INTEGER NOT NULL,
	state         TEXT    NOT NULL
);
CREATE TABLE leases (
	run_id     TEXT    PRIMARY KEY NOT NULL,
	token      INTEGER NOT NULL,
	host       TEXT    NOT NULL,
	pid        INTEGER NOT NULL,
	started    TEXT    NOT NULL,
	expires_at TEXT    NOT NULL
) WITHOUT ROWID;
CREATE TABLE trail (
	seq          INTEGER PRIMARY KEY,
	run_id       TEXT NOT NULL,
	at           TEXT NOT NULL,
	actor        TEXT NOT NULL,
	what         TEXT NOT NULL,
	operation_id TEXT NOT NULL,
	detail       TEXT NOT NULL,
	chain        TEXT NOT NULL
);
CREATE TABLE trail_head (
	id    INTEGER PRIMARY KEY CHECK (id = 1),
	seq   INTEGER NOT NULL,
	chain TEXT    NOT NULL
);
CREATE TABLE pruned (
	run_id TEXT PRIMARY KEY NOT NULL
) WITHOUT ROWID;
CREATE TRIGGER trail_no_update BEFORE UPDATE ON trail BEGIN SELECT RAISE(ABORT, 'the trail is append-only'); END;
CREATE TRIGGER trail_no_delete BEFORE DELETE ON trail BEGIN SELECT RAISE(ABORT, 'the trail is append-only'); END;
CREATE TRIGGER trail_no_replace BEFORE INSERT ON trail WHEN EXISTS (SELECT 1 FROM trail WHERE seq = NEW.seq)
	BEGIN SELECT RAISE(ABORT, 'the trail is append-only'); END;
INSERT INTO runs VALUES (1, 'T-90104-agent-chat-small-1', 'T-90104', 'agent', 'chat-small', 'waiting_approval', '2026-03-02T09:00:00.0000005-05:00', 2, 30, 4, 3, '{"customer_id":"C-1","events":[{"step":2,"kind":"note","text":"hello"}],"evidence":[{"tool":"get_order","arguments":{"order_id":"LK-100001"},"ok":true,"result":{"n":1}}],"messages":[{"role":"assistant","content":"secret of a customer","tool_calls":[{"id":"c1","function":{"name":"get_order","arguments":"{}"}}]}],"model":"chat-small","plan":["look up the order","propose"],"proposal":{"outcome":"resolve","rule":"R1","actions":[{"tool":"request_refund","order_id":"LK-100001","amount_cents":995,"reason_code":"RFD-LATE","rollback":"out-of-band","rollback_text":"a person"}],"reason":"late","reply":"sorry"},"repeat":1,"run_id":"T-90104-agent-chat-small-1","status":"waiting_approval","step":2,"ticket_id":"T-90104","updated_at":"2026-03-02T09:00:00.0000005-05:00","usage":{"model_calls":2,"input_tokens":30,"output_tokens":4,"cost_micros":5,"model_time_ns":1000000000},"variant":"agent"}');
INSERT INTO leases VALUES ('T-90104-agent-chat-small-1', 4, '', 0, '', '');
INSERT INTO trail VALUES (1, 'T-90104-agent-chat-small-1', '2026-03-02T09:00:00.0000005-05:00', 'resolver', 'proposed', '', '1 action', '825c07ee3e3b2263fd1fc3772638f606fa92560f85f5a465ad33b1dc5645f497');
INSERT INTO trail_head VALUES (1, 1, '825c07ee3e3b2263fd1fc3772638f606fa92560f85f5a465ad33b1dc5645f497');
PRAGMA user_version = 1;
