CREATE TABLE login_attempts (
	kind TEXT NOT NULL,
	"key" TEXT NOT NULL,
	wrong INTEGER NOT NULL,
	at BIGINT NOT NULL,
	PRIMARY KEY (kind, "key")
)
 WITHOUT ROWID

CREATE TABLE changes (
	user_id INTEGER NOT NULL,
	number BIGINT NOT NULL,
	others BIGINT DEFAULT 0 NOT NULL,
	PRIMARY KEY (user_id)
)
 WITHOUT ROWID

CREATE TABLE users (
	id INTEGER NOT NULL,
	name TEXT NOT NULL,
	seed BIGINT NOT NULL,
	decided_to BIGINT NOT NULL,
	ruled_by TEXT DEFAULT '' NOT NULL,
	last_change TEXT DEFAULT '' NOT NULL,
	headlines TEXT DEFAULT '' NOT NULL,
	name_key TEXT DEFAULT '' NOT NULL,
	role TEXT DEFAULT 'reader' NOT NULL,
	time_zone TEXT DEFAULT '' NOT NULL,
	password TEXT DEFAULT '' NOT NULL,
	created BIGINT,
	learns_from_reading BOOLEAN DEFAULT 0 NOT NULL,
	feeds_key TEXT DEFAULT '' NOT NULL, list_views TEXT DEFAULT '' NOT NULL,
	PRIMARY KEY (id)
)

CREATE UNIQUE INDEX users_name ON users (name_key)

CREATE TABLE feeds (
	id INTEGER NOT NULL,
	url TEXT NOT NULL,
	name TEXT NOT NULL,
	title TEXT NOT NULL,
	site_url TEXT NOT NULL,
	etag TEXT,
	last_modified TEXT,
	body_hash BLOB,
	items_seen BLOB NOT NULL,
	next_due BIGINT,
	last_attempt BIGINT,
	last_success BIGINT,
	last_change BIGINT,
	failures INTEGER NOT NULL,
	error TEXT NOT NULL,
	gone_since BIGINT,
	moved_to TEXT NOT NULL,
	moved_since BIGINT,
	ttl_minutes INTEGER,
	skip_hours TEXT NOT NULL,
	skip_days TEXT NOT NULL,
	lease_until BIGINT,
	icon TEXT DEFAULT '' NOT NULL,
	host TEXT DEFAULT '' NOT NULL,
	login TEXT DEFAULT '' NOT NULL,
	added BIGINT,
	PRIMARY KEY (id),
	CONSTRAINT feeds_url UNIQUE (url)
)

CREATE INDEX feeds_host ON feeds (host)

CREATE TABLE robots (
	site TEXT NOT NULL,
	fetched BIGINT NOT NULL,
	body BLOB NOT NULL,
	PRIMARY KEY (site)
)

CREATE TABLE feature_sets (
	id INTEGER NOT NULL,
	names TEXT NOT NULL,
	PRIMARY KEY (id),
	CONSTRAINT feature_sets_names UNIQUE (names)
)

CREATE TABLE bases (
	number INTEGER NOT NULL,
	articles BIGINT NOT NULL,
	sequence BIGINT NOT NULL,
	state BLOB NOT NULL,
	PRIMARY KEY (number)
)

CREATE TABLE host_pauses (
	host TEXT NOT NULL,
	login TEXT NOT NULL,
	until BIGINT NOT NULL,
	PRIMARY KEY (host, login)
)
 WITHOUT ROWID

CREATE TABLE sessions (
	user_id INTEGER NOT NULL,
	"key" TEXT NOT NULL,
	created BIGINT NOT NULL,
	used BIGINT NOT NULL,
	agent TEXT NOT NULL,
	PRIMARY KEY (user_id, "key"),
	CONSTRAINT sessions_key UNIQUE ("key"),
	FOREIGN KEY(user_id) REFERENCES users (id)
)
 WITHOUT ROWID

CREATE TABLE invitations (
	user_id INTEGER NOT NULL,
	"key" TEXT NOT NULL,
	name TEXT NOT NULL,
	role TEXT NOT NULL,
	created BIGINT NOT NULL,
	PRIMARY KEY (user_id, "key"),
	CONSTRAINT invitations_key UNIQUE ("key"),
	FOREIGN KEY(user_id) REFERENCES users (id)
)
 WITHOUT ROWID

CREATE TABLE app_passwords (
	user_id INTEGER NOT NULL,
	name TEXT NOT NULL,
	"key" TEXT NOT NULL,
	created BIGINT NOT NULL,
	used BIGINT,
	options TEXT DEFAULT '[]' NOT NULL,
	fever_key TEXT DEFAULT '' NOT NULL,
	PRIMARY KEY (user_id, name),
	CONSTRAINT app_passwords_key UNIQUE ("key"),
	FOREIGN KEY(user_id) REFERENCES users (id)
)
 WITHOUT ROWID

CREATE INDEX app_passwords_fever_key ON app_passwords (fever_key)

CREATE TABLE identities (
	user_id INTEGER NOT NULL,
	issuer TEXT NOT NULL,
	subject TEXT NOT NULL,
	created BIGINT NOT NULL,
	PRIMARY KEY (user_id, issuer),
	CONSTRAINT identities_subject UNIQUE (issuer, subject),
	FOREIGN KEY(user_id) REFERENCES users (id)
)
 WITHOUT ROWID

CREATE TABLE connections (
	user_id INTEGER NOT NULL,
	kind TEXT NOT NULL,
	address TEXT NOT NULL,
	name TEXT NOT NULL,
	options TEXT NOT NULL,
	connected BIGINT NOT NULL,
	synced BIGINT,
	newest BIGINT,
	next_due BIGINT,
	failures INTEGER NOT NULL,
	error TEXT NOT NULL,
	PRIMARY KEY (user_id),
	FOREIGN KEY(user_id) REFERENCES users (id)
)
 WITHOUT ROWID

CREATE TABLE remote_tags (
	user_id INTEGER NOT NULL,
	item BIGINT NOT NULL,
	tag TEXT NOT NULL,
	wanted BOOLEAN NOT NULL,
	refused INTEGER NOT NULL,
	PRIMARY KEY (user_id, item, tag),
	FOREIGN KEY(user_id) REFERENCES users (id)
)
 WITHOUT ROWID

CREATE TABLE rounds (
	user_id INTEGER NOT NULL,
	number BIGINT NOT NULL,
	at BIGINT NOT NULL,
	"row" BIGINT NOT NULL,
	PRIMARY KEY (user_id, number),
	FOREIGN KEY(user_id) REFERENCES users (id)
)
 WITHOUT ROWID

CREATE TABLE imports (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	user_id INTEGER NOT NULL,
	name TEXT NOT NULL,
	at BIGINT NOT NULL,
	FOREIGN KEY(user_id) REFERENCES users (id)
)

CREATE TABLE snapshots (
	id INTEGER NOT NULL,
	user_id INTEGER,
	sequence BIGINT NOT NULL,
	fingerprint TEXT NOT NULL,
	state BLOB NOT NULL,
	PRIMARY KEY (id),
	CONSTRAINT snapshots_place UNIQUE (user_id, sequence, fingerprint),
	FOREIGN KEY(user_id) REFERENCES users (id)
)

CREATE TABLE hub_subscriptions (
	feed_id INTEGER NOT NULL,
	hub TEXT NOT NULL,
	topic TEXT NOT NULL,
	base TEXT NOT NULL,
	"key" TEXT NOT NULL,
	secret TEXT NOT NULL,
	callback TEXT NOT NULL,
	ending BOOLEAN NOT NULL,
	asked BIGINT,
	lease_until BIGINT,
	next_attempt BIGINT,
	failures INTEGER NOT NULL,
	error TEXT NOT NULL,
	pushed BIGINT,
	missed BIGINT,
	PRIMARY KEY (feed_id),
	CONSTRAINT hub_subscriptions_key UNIQUE ("key"),
	FOREIGN KEY(feed_id) REFERENCES feeds (id)
)
 WITHOUT ROWID

CREATE INDEX hub_subscriptions_due ON hub_subscriptions (next_attempt)

CREATE TABLE pushed_documents (
	id INTEGER NOT NULL,
	feed_id INTEGER NOT NULL,
	at BIGINT NOT NULL,
	content_type TEXT NOT NULL,
	body BLOB NOT NULL,
	PRIMARY KEY (id),
	FOREIGN KEY(feed_id) REFERENCES feeds (id)
)

CREATE INDEX pushed_documents_feed ON pushed_documents (feed_id)

CREATE TABLE marks (
	user_id INTEGER NOT NULL,
	story BIGINT NOT NULL,
	read_at BIGINT,
	kept_unread BOOLEAN NOT NULL,
	saved_at BIGINT,
	read_all_at BIGINT,
	PRIMARY KEY (user_id, story),
	FOREIGN KEY(user_id) REFERENCES users (id)
)
 WITHOUT ROWID

CREATE INDEX marks_saved ON marks (user_id, saved_at)

CREATE INDEX marks_read_all ON marks (user_id, read_all_at)

CREATE TABLE labels (
	user_id INTEGER NOT NULL,
	label TEXT NOT NULL,
	story BIGINT NOT NULL,
	PRIMARY KEY (user_id, label, story),
	FOREIGN KEY(user_id) REFERENCES users (id)
)
 WITHOUT ROWID

CREATE INDEX labels_story ON labels (user_id, story)

CREATE TABLE documents (
	user_id INTEGER NOT NULL,
	name TEXT NOT NULL,
	text TEXT NOT NULL,
	changed BIGINT NOT NULL,
	PRIMARY KEY (user_id, name),
	FOREIGN KEY(user_id) REFERENCES users (id)
)
 WITHOUT ROWID

CREATE TABLE subscriptions (
	user_id INTEGER NOT NULL,
	feed_id INTEGER NOT NULL,
	url TEXT NOT NULL,
	title TEXT NOT NULL,
	tags TEXT NOT NULL,
	interval INTEGER,
	fulltext BOOLEAN NOT NULL,
	enabled BOOLEAN NOT NULL,
	position INTEGER NOT NULL,
	priority TEXT DEFAULT 'filtered' NOT NULL,
	PRIMARY KEY (user_id, feed_id),
	FOREIGN KEY(user_id) REFERENCES users (id),
	FOREIGN KEY(feed_id) REFERENCES feeds (id)
)
 WITHOUT ROWID

CREATE INDEX subscriptions_feed ON subscriptions (feed_id)

CREATE TABLE digests (
	user_id INTEGER NOT NULL,
	digest TEXT NOT NULL,
	at BIGINT NOT NULL,
	content TEXT NOT NULL,
	PRIMARY KEY (user_id, digest),
	FOREIGN KEY(user_id) REFERENCES users (id)
)
 WITHOUT ROWID

CREATE TABLE mailings (
	user_id INTEGER NOT NULL,
	digest TEXT NOT NULL,
	message_id TEXT NOT NULL,
	recipient TEXT NOT NULL,
	state TEXT NOT NULL,
	attempts INTEGER NOT NULL,
	at BIGINT NOT NULL,
	next_attempt BIGINT,
	error TEXT NOT NULL,
	PRIMARY KEY (user_id, digest),
	FOREIGN KEY(user_id) REFERENCES users (id)
)
 WITHOUT ROWID

CREATE INDEX mailings_next ON mailings (next_attempt)

CREATE TABLE removals (
	user_id INTEGER NOT NULL,
	"key" TEXT NOT NULL,
	at BIGINT NOT NULL,
	kind TEXT NOT NULL,
	content TEXT NOT NULL,
	PRIMARY KEY (user_id, "key"),
	FOREIGN KEY(user_id) REFERENCES users (id)
)
 WITHOUT ROWID

CREATE TABLE folders (
	user_id INTEGER NOT NULL,
	number INTEGER NOT NULL,
	name TEXT NOT NULL,
	made BOOLEAN NOT NULL,
	PRIMARY KEY (user_id, number),
	FOREIGN KEY(user_id) REFERENCES users (id)
)
 WITHOUT ROWID

CREATE TABLE articles (
	seq INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	id TEXT NOT NULL,
	feed_id INTEGER NOT NULL,
	"key" TEXT NOT NULL,
	url TEXT NOT NULL,
	site TEXT NOT NULL,
	title TEXT NOT NULL,
	author TEXT NOT NULL,
	categories TEXT NOT NULL,
	language TEXT NOT NULL,
	published BIGINT,
	arrived BIGINT NOT NULL,
	links INTEGER NOT NULL,
	pictures INTEGER NOT NULL,
	content_hash BLOB NOT NULL,
	story BIGINT,
	archive BOOLEAN DEFAULT 0 NOT NULL, dated BIGINT DEFAULT 0 NOT NULL,
	CONSTRAINT articles_id UNIQUE (id),
	CONSTRAINT articles_key UNIQUE (feed_id, "key"),
	FOREIGN KEY(feed_id) REFERENCES feeds (id)
)

CREATE INDEX articles_story ON articles (story)

CREATE INDEX articles_feed ON articles (feed_id, seq, story, arrived, archive)

CREATE TABLE work (
	task TEXT NOT NULL,
	"key" TEXT NOT NULL,
	user_id INTEGER,
	queue TEXT NOT NULL,
	due BIGINT,
	lease_until BIGINT,
	holder TEXT NOT NULL,
	fence BIGINT NOT NULL,
	attempts INTEGER NOT NULL,
	reason TEXT NOT NULL,
	set_aside BIGINT,
	finished BIGINT,
	PRIMARY KEY (task, "key"),
	FOREIGN KEY(user_id) REFERENCES users (id)
)
 WITHOUT ROWID

CREATE INDEX work_due ON work (due)

CREATE INDEX work_user ON work (user_id)

CREATE TABLE remote_items (
	user_id INTEGER NOT NULL,
	item BIGINT NOT NULL,
	seq INTEGER,
	starred BOOLEAN NOT NULL,
	liked BOOLEAN NOT NULL,
	disliked BOOLEAN NOT NULL,
	read BOOLEAN NOT NULL,
	ours TEXT NOT NULL,
	PRIMARY KEY (user_id, item),
	FOREIGN KEY(user_id) REFERENCES users (id),
	FOREIGN KEY(seq) REFERENCES articles (seq)
)
 WITHOUT ROWID

CREATE INDEX remote_items_seq ON remote_items (user_id, seq)

CREATE TABLE decisions (
	user_id INTEGER NOT NULL,
	seq INTEGER NOT NULL,
	score FLOAT NOT NULL,
	threshold FLOAT NOT NULL,
	interesting BOOLEAN NOT NULL,
	explore BOOLEAN NOT NULL,
	probability FLOAT NOT NULL,
	at BIGINT NOT NULL,
	margin FLOAT,
	vote FLOAT,
	round BIGINT,
	PRIMARY KEY (user_id, seq),
	FOREIGN KEY(user_id) REFERENCES users (id),
	FOREIGN KEY(seq) REFERENCES articles (seq)
)
 WITHOUT ROWID

CREATE INDEX decisions_at ON decisions (user_id, at, interesting, explore)

CREATE TABLE late_deliveries (
	user_id INTEGER NOT NULL,
	seq INTEGER NOT NULL,
	score FLOAT NOT NULL,
	threshold FLOAT NOT NULL,
	interesting BOOLEAN NOT NULL,
	explore BOOLEAN NOT NULL,
	at BIGINT NOT NULL,
	margin FLOAT NOT NULL,
	round BIGINT,
	PRIMARY KEY (user_id, seq),
	FOREIGN KEY(user_id) REFERENCES users (id),
	FOREIGN KEY(seq) REFERENCES articles (seq)
)
 WITHOUT ROWID

CREATE INDEX late_deliveries_at ON late_deliveries (user_id, at)

CREATE TABLE current_scores (
	user_id INTEGER NOT NULL,
	seq INTEGER NOT NULL,
	score FLOAT NOT NULL,
	threshold FLOAT NOT NULL,
	interesting BOOLEAN NOT NULL,
	explore BOOLEAN NOT NULL,
	arrived BIGINT NOT NULL,
	archive BOOLEAN DEFAULT 0 NOT NULL,
	interest TEXT DEFAULT '' NOT NULL, dated BIGINT DEFAULT 0 NOT NULL,
	PRIMARY KEY (user_id, seq),
	FOREIGN KEY(user_id) REFERENCES users (id),
	FOREIGN KEY(seq) REFERENCES articles (seq)
)
 WITHOUT ROWID

CREATE INDEX current_scores_arrived ON current_scores (user_id, arrived)

CREATE TABLE rule_outcomes (
	user_id INTEGER NOT NULL,
	seq INTEGER NOT NULL,
	action TEXT NOT NULL,
	boost FLOAT NOT NULL,
	rules TEXT NOT NULL,
	PRIMARY KEY (user_id, seq),
	FOREIGN KEY(user_id) REFERENCES users (id),
	FOREIGN KEY(seq) REFERENCES articles (seq)
)
 WITHOUT ROWID

CREATE TABLE rule_changes (
	number INTEGER NOT NULL,
	user_id INTEGER NOT NULL,
	seq INTEGER NOT NULL,
	action TEXT NOT NULL,
	boost FLOAT NOT NULL,
	PRIMARY KEY (number),
	FOREIGN KEY(user_id) REFERENCES users (id),
	FOREIGN KEY(seq) REFERENCES articles (seq)
)

CREATE INDEX rule_changes_story ON rule_changes (user_id, seq, number)

CREATE TABLE feedback (
	"row" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	user_id INTEGER NOT NULL,
	id TEXT NOT NULL,
	seq INTEGER NOT NULL,
	story BIGINT NOT NULL,
	kind TEXT NOT NULL,
	at BIGINT NOT NULL,
	tags TEXT DEFAULT '[]' NOT NULL,
	CONSTRAINT feedback_id UNIQUE (user_id, id),
	FOREIGN KEY(user_id) REFERENCES users (id),
	FOREIGN KEY(seq) REFERENCES articles (seq)
)

CREATE INDEX feedback_user ON feedback (user_id, "row")

CREATE INDEX feedback_story ON feedback (user_id, story, "row")

CREATE TABLE arrived_items (
	user_id INTEGER NOT NULL,
	story BIGINT NOT NULL,
	"row" BIGINT NOT NULL,
	item INTEGER NOT NULL,
	PRIMARY KEY (user_id, story, "row"),
	FOREIGN KEY(user_id) REFERENCES users (id),
	FOREIGN KEY(item) REFERENCES articles (seq)
)
 WITHOUT ROWID

CREATE TABLE import_marks (
	user_id INTEGER NOT NULL,
	import_id INTEGER NOT NULL,
	story BIGINT NOT NULL,
	saved BOOLEAN NOT NULL,
	labels TEXT NOT NULL,
	PRIMARY KEY (user_id, import_id, story),
	FOREIGN KEY(user_id) REFERENCES users (id),
	FOREIGN KEY(import_id) REFERENCES imports (id)
)
 WITHOUT ROWID

CREATE TABLE deliveries (
	user_id INTEGER NOT NULL,
	seq INTEGER NOT NULL,
	digest TEXT NOT NULL,
	number INTEGER NOT NULL,
	at BIGINT NOT NULL,
	PRIMARY KEY (user_id, seq),
	CONSTRAINT deliveries_number UNIQUE (user_id, digest, number),
	FOREIGN KEY(user_id) REFERENCES users (id),
	FOREIGN KEY(seq) REFERENCES articles (seq)
)
 WITHOUT ROWID

CREATE TABLE reading_events (
	"row" INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	user_id INTEGER NOT NULL,
	id TEXT NOT NULL,
	story INTEGER NOT NULL,
	act TEXT NOT NULL,
	visit TEXT NOT NULL,
	seconds FLOAT NOT NULL,
	at BIGINT NOT NULL,
	CONSTRAINT reading_events_id UNIQUE (user_id, id),
	FOREIGN KEY(user_id) REFERENCES users (id),
	FOREIGN KEY(story) REFERENCES articles (seq)
)

CREATE INDEX reading_events_story ON reading_events (user_id, story, "row")

CREATE INDEX reading_events_at ON reading_events (user_id, at)

CREATE TABLE reading_sums (
	user_id INTEGER NOT NULL,
	story INTEGER NOT NULL,
	opened BOOLEAN NOT NULL,
	seconds FLOAT NOT NULL,
	saved BOOLEAN NOT NULL,
	original BOOLEAN NOT NULL,
	"left" BOOLEAN NOT NULL,
	passed BOOLEAN NOT NULL,
	"row" BIGINT NOT NULL,
	at BIGINT NOT NULL,
	PRIMARY KEY (user_id, story),
	FOREIGN KEY(user_id) REFERENCES users (id),
	FOREIGN KEY(story) REFERENCES articles (seq)
)
 WITHOUT ROWID

CREATE TABLE texts (
	seq INTEGER NOT NULL,
	text TEXT NOT NULL,
	PRIMARY KEY (seq),
	FOREIGN KEY(seq) REFERENCES articles (seq)
)

CREATE TABLE contents (
	seq INTEGER NOT NULL,
	html BLOB NOT NULL,
	enclosures TEXT NOT NULL,
	thumbnail TEXT NOT NULL,
	PRIMARY KEY (seq),
	FOREIGN KEY(seq) REFERENCES articles (seq)
)

CREATE TABLE features (
	seq INTEGER NOT NULL,
	story BIGINT NOT NULL,
	simhash BIGINT NOT NULL,
	arrived BIGINT NOT NULL,
	id TEXT NOT NULL,
	url TEXT NOT NULL,
	source TEXT NOT NULL,
	site TEXT NOT NULL,
	author TEXT NOT NULL,
	categories TEXT NOT NULL,
	language TEXT NOT NULL,
	published BIGINT,
	set_id INTEGER NOT NULL,
	"values" BLOB NOT NULL,
	terms BLOB NOT NULL,
	pairs BLOB DEFAULT (x'') NOT NULL,
	PRIMARY KEY (seq),
	FOREIGN KEY(seq) REFERENCES articles (seq),
	FOREIGN KEY(set_id) REFERENCES feature_sets (id)
)

CREATE TABLE effective_verdicts (
	user_id INTEGER NOT NULL,
	story BIGINT NOT NULL,
	"row" INTEGER NOT NULL,
	kind TEXT NOT NULL,
	PRIMARY KEY (user_id, story),
	FOREIGN KEY(user_id) REFERENCES users (id),
	FOREIGN KEY("row") REFERENCES feedback ("row")
)
 WITHOUT ROWID

CREATE INDEX effective_verdicts_row ON effective_verdicts (user_id, "row")

CREATE INDEX effective_verdicts_feedback ON effective_verdicts ("row")

CREATE TABLE imported_items (
	user_id INTEGER NOT NULL,
	"row" INTEGER NOT NULL,
	import_id INTEGER NOT NULL,
	form TEXT NOT NULL,
	interest TEXT DEFAULT 'imported' NOT NULL,
	weight FLOAT DEFAULT (1.0) NOT NULL,
	PRIMARY KEY (user_id, "row"),
	FOREIGN KEY(user_id) REFERENCES users (id),
	FOREIGN KEY("row") REFERENCES feedback ("row"),
	FOREIGN KEY(import_id) REFERENCES imports (id)
)
 WITHOUT ROWID

CREATE INDEX imported_items_import ON imported_items (import_id)

CREATE INDEX imported_items_feedback ON imported_items ("row")

CREATE VIRTUAL TABLE search USING fts5(feed, title, author, text, content='', tokenize='unicode61 remove_diacritics 2')

CREATE TRIGGER feedback_no_update BEFORE UPDATE ON feedback BEGIN SELECT RAISE(ABORT, 'the feedback log is append-only'); END

CREATE TRIGGER decisions_no_update BEFORE UPDATE ON decisions BEGIN SELECT RAISE(ABORT, 'decisions is append-only'); END

CREATE TRIGGER late_deliveries_no_update BEFORE UPDATE ON late_deliveries BEGIN SELECT RAISE(ABORT, 'late_deliveries is append-only'); END

CREATE TRIGGER rounds_no_update BEFORE UPDATE ON rounds BEGIN SELECT RAISE(ABORT, 'rounds is append-only'); END

CREATE TRIGGER rule_changes_no_update BEFORE UPDATE ON rule_changes BEGIN SELECT RAISE(ABORT, 'rule_changes is append-only'); END

CREATE TRIGGER arrived_items_no_update BEFORE UPDATE ON arrived_items BEGIN SELECT RAISE(ABORT, 'arrived_items is append-only'); END

CREATE TRIGGER feedback_no_delete BEFORE DELETE ON feedback WHEN (SELECT role FROM users WHERE id = OLD.user_id) <> 'removed' BEGIN SELECT RAISE(ABORT, 'feedback is append-only'); END

CREATE TRIGGER decisions_no_delete BEFORE DELETE ON decisions WHEN (SELECT role FROM users WHERE id = OLD.user_id) <> 'removed' BEGIN SELECT RAISE(ABORT, 'decisions is append-only'); END

CREATE TRIGGER late_deliveries_no_delete BEFORE DELETE ON late_deliveries WHEN (SELECT role FROM users WHERE id = OLD.user_id) <> 'removed' BEGIN SELECT RAISE(ABORT, 'late_deliveries is append-only'); END

CREATE TRIGGER rounds_no_delete BEFORE DELETE ON rounds WHEN (SELECT role FROM users WHERE id = OLD.user_id) <> 'removed' BEGIN SELECT RAISE(ABORT, 'rounds is append-only'); END

CREATE TRIGGER rule_changes_no_delete BEFORE DELETE ON rule_changes WHEN (SELECT role FROM users WHERE id = OLD.user_id) <> 'removed' BEGIN SELECT RAISE(ABORT, 'rule_changes is append-only'); END

CREATE TRIGGER arrived_items_no_delete BEFORE DELETE ON arrived_items WHEN (SELECT role FROM users WHERE id = OLD.user_id) <> 'removed' BEGIN SELECT RAISE(ABORT, 'arrived_items is append-only'); END

CREATE TRIGGER reading_events_no_update BEFORE UPDATE ON reading_events BEGIN SELECT RAISE(ABORT, 'reading_events is append-only'); END

CREATE TRIGGER reading_events_no_delete BEFORE DELETE ON reading_events WHEN (SELECT role FROM users WHERE id = OLD.user_id) <> 'removed' AND NOT EXISTS (SELECT 1 FROM reading_sums WHERE user_id = OLD.user_id AND story = OLD.story AND row >= OLD.row) BEGIN SELECT RAISE(ABORT, 'reading_events is append-only'); END

CREATE TABLE mail_confirmations (
	user_id INTEGER NOT NULL,
	number INTEGER NOT NULL,
	address TEXT NOT NULL,
	asked BIGINT NOT NULL,
	due BIGINT,
	"key" TEXT NOT NULL,
	wrong INTEGER NOT NULL,
	confirmed BIGINT,
	PRIMARY KEY (user_id, number),
	FOREIGN KEY(user_id) REFERENCES users (id)
)
 WITHOUT ROWID

CREATE INDEX mail_confirmations_address ON mail_confirmations (address, asked)

CREATE TABLE meanings (
	seq INTEGER NOT NULL,
	encoder TEXT NOT NULL,
	vector BLOB NOT NULL,
	PRIMARY KEY (seq),
	FOREIGN KEY(seq) REFERENCES articles (seq)
)

CREATE INDEX articles_dated ON articles (feed_id, dated, seq)

CREATE INDEX current_scores_dated ON current_scores (user_id, dated, seq)

CREATE TABLE icons (
	feed_id INTEGER NOT NULL,
	asked BIGINT NOT NULL,
	"key" TEXT NOT NULL,
	picture BLOB NOT NULL,
	PRIMARY KEY (feed_id),
	FOREIGN KEY(feed_id) REFERENCES feeds (id)
)

CREATE INDEX icons_key ON icons ("key")
