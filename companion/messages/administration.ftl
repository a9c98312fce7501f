# English texts of commands for administrators (Project Fluent): setup, backup, PostgreSQL, the state of the program. They have no
# translations; what players see is in the other files, in every language.

log-missing = the database { $path } is missing: start `companion serve`, which restores the newest backup, or restore one with `companion log restore`
log-folder-unusable = cannot keep a log in { $folder }: { $reason }; choose another folder with --data
log-unusable = cannot open the log { $path }: { $reason }; restore it from a copy, move it away, or choose another folder with --data
log-not-writable = the log in { $folder } can be read but not written: make the folder writable for the user who runs companion, or check whether the disk is read-only, or choose another folder with --data
log-beyond-repair = the log { $path } cannot be checked or repaired: { $reason }; free some space on the disk, restore a backup with `companion log restore`, or choose another folder with --data
log-only-changes = { $path } is missing, but { $changes } beside it has its last changes: start `companion serve`, which sets them aside, or restore a backup with `companion log restore`
database-bad-address = the address of the database is not one that PostgreSQL understands: write postgresql://USER:PASSWORD@HOST/DATABASE, with the characters @ : / ? # % of a password as %40 %3A %2F %3F %23 %25
database-library-missing = the store { $place } needs a library that is not installed: install it with `pip install "hanafuda-companion[postgres]"`
database-missing = there is no database { $database } at { $place }: create it with `createdb { $database }`, or correct the name in the address
database-not-permitted = the user { $user } may not create tables in { $place } ({ $reason }): make that user the owner of the database with `ALTER DATABASE … OWNER TO …`
database-refused = { $place } does not let the user { $user } in ({ $reason }): check the name and the password in the address, or in PGPASSWORD or ~/.pgpass
database-unreachable = cannot reach the database { $place } ({ $reason }): check the host and the port in the address, and whether PostgreSQL runs there and accepts connections from this machine
database-unusable = cannot use the database { $place }: { $reason }; check it with `psql`, or use another database
import-bad-line = line { $line } cannot be imported: { $reason }
import-not-events = this is not a file with exported evenings
import-bad-table = the table’s id is missing, wrong, or used twice
import-bad-event = the event is not one that this version can read
folder-in-use = the data folder { $folder } is in use by another `companion serve`: use it, stop that one, or choose another folder with --data
folder-in-use-by = the data folder { $folder } is in use by another `companion serve` (process { $pid } on { $host }, at { $address }, since { $since }): use it, stop that one (Ctrl-C, or kill { $pid }), or choose another folder with --data
folder-not-writable = cannot write to the data folder { $folder }: { $reason }; make the folder writable for the user who runs companion, or check whether the disk is read-only, or choose another folder with --data
backup-no-log = there is no log in { $folder } to back up
backup-exists = { $path } exists already: name another file or folder
backup-not-read = the log in { $folder } cannot be backed up: { $reason }
backup-not-written = cannot write the backup { $path }: { $reason }
backup-no-manifest = { $path } is not a backup of companion: { $file } cannot be read
backup-other-version = { $path } was made by another version of companion, which this one cannot read
backup-not-restored = cannot restore { $path } into { $folder }: { $reason }
backup-log-damaged = the log in { $folder } is damaged ({ $reason }), so older backups stay: start `companion serve`, which repairs what it can
backup-missing = there is no backup { $path }
backup-incomplete = { $path } is not a complete backup of companion: { $reason }
backup-file-damaged = { $path } is damaged: its checksum has changed since the backup
backup-lacks = the backup lacks { $file }
backup-database-damaged = the database of { $path } is damaged: { $reason }
backup-file-outside = the backup's manifest names a file outside of it: { $file }
registration-fine = Nothing to improve.
registration-no-markers = No corner markers were found in this picture. Print them with "companion mat" and lay them out in good light, or specify four corners with --corners and --size.
registration-few-markers = Only { $count } of the four corner markers are visible. Clear hands, cards, and glare off the others, or move the camera back until all are in the picture.
registration-two-mats = Markers of two mats are in the picture. Cover or remove one of the mats.
registration-markers-disagree = The corner markers do not match one flat mat. Lay the mat flat, and check that it was printed on one sheet.
registration-markers-crossed = The four corner cards are in the wrong order. Each has its corner printed on it: far left, far right, near right, near left.
registration-corners-crossed = These four corners do not form a rectangle. Specify them clockwise: far left, far right, near right, near left.
registration-size-unlikely = A rectangle of that size cannot look like this: the camera would be tilted by { $tilt }°. Check the size (width first) and the order of the corners.
registration-few-cards = { $seen } whole cards are visible, but { $needed } are needed to register by cards. Spread more cards over the table without overlap.
registration-cards-uncertain = The cards are too close together to determine the scale everywhere (error up to { $percent }%). Spread them to the corners of the table.
registration-cards-disagree = The visible cards do not have one size on one flat table (average error { $mm } mm). Lay them flat, or use the printed mat.
registration-marker-hidden = Corner marker { $markers } is hidden.
registration-marker-astray = Corner marker { $markers } is not at its position. Is the mat bent there, or has the card moved?
registration-cards-small = Cards are only { $px } px wide in places. That is sufficient, but 60 px is better: move the camera closer, or use a higher resolution.
registration-cards-too-small = The far cards are too small: { $px } px wide, but at least 28 px are needed. Move the camera closer, raise it, or use a higher resolution.
registration-tilted = The camera is tilted by { $tilt }°. Up to 60° the view is corrected; beyond that, piles hide the cards behind them.
registration-blurred = The picture is blurred: edges are { $mm } mm wide. Focus the camera on the table, or hold it still.
registration-dark = The picture is dark: white paper has only { $level }% of full brightness. Add light, or increase the exposure.
registration-bright = The picture is too bright: white paper is overexposed. Reduce the exposure.
registration-glare = A lamp is reflected on { $percent }% of the table. Move the lamp or the camera until there is no reflection on the cards.
registration-uneven = The light is uneven: one corner is { $ratio } times as bright as another. Light the table from both sides.
registration-color-cast = The light has a strong color. The white patches correct it, but fix the camera's white balance if possible.
registration-table-cut = Part of the table is outside the picture. Cards there are not detected.
registration-steady = Camera and table have not moved since they were registered (within { $mm } mm).
registration-moved-little = Camera or table moved by { $mm } mm since they were registered. Cards can still be recognized; calibrate again when convenient.
registration-moved = Camera or table moved by { $mm } mm since they were registered. Calibrate again.
registration-turned = The camera was turned or moved: the table is { $mm } mm from its registered position. Calibrate again.
registration-lost = The corner markers are not visible: the table is covered or dark, or the camera points elsewhere.
registration-other-size = This picture has { $now } px, but the table was registered with { $was } px. Use the same camera setting, or calibrate again.
registration-nothing-to-watch = This table was registered without corner markers, so camera movement cannot be detected. Print them with "companion mat".
doctor-models = Card recognition works: { $count } networks are loaded.
doctor-import = A part of the program is missing: { $reason }. Install hanafuda-companion again.
doctor-models-missing = Pictures cannot be scanned: { $reason }.
doctor-models-damaged = Pictures cannot be scanned because a file of the card recognition is damaged: { $reason }. Install hanafuda-companion again.
doctor-folder = The data folder is { $folder }.
doctor-folder-new = The data folder { $folder } does not exist yet. `companion serve` creates it.
doctor-folder-not-writable = The data folder { $folder } cannot be written. Change its owner, or choose another folder with `--data`.
doctor-disk-full = Only { $free } MB are free on the disk of { $folder }. Delete what you no longer need, or move the folder to another disk.
doctor-network-folder = The data folder { $folder } is on a network file system ({ $kind }), where two computers can damage the log. Choose a folder on a local disk with `--data`.
doctor-log = The log is intact.
doctor-database = The database { $store } can be read and written.
doctor-log-damaged = The log is damaged: { $reason }. Start `companion serve`: it repairs the log, or restores the newest backup.
doctor-settings = The settings in { $file } are valid.
doctor-settings-default = There is no { $file }; the default settings apply.
doctor-no-network = This computer is in no network, so phones cannot reach it. Connect it to the same Wi-Fi as the phones.
doctor-network = Phones in the same network reach this computer at { $url }. If they do not, allow the port in this computer's firewall.
doctor-server = A server is running at { $address }.
doctor-port-used = Another program uses port { $port }. Stop it, or start the server with `companion serve --port`.
doctor-port-free = Port { $port } is free for `companion serve`.
doctor-https-off = HTTPS is not set up. With it, phones can keep the screen on and install the app: `companion https`.
doctor-https = HTTPS is set up; its certificate authority is valid until { $date }.
doctor-camera-found = Cameras: { $paths }.
doctor-camera-none = No camera is connected. Scores can be kept by hand, and phones can take pictures.
doctor-camera-denied = You may not use the camera { $path }. Run `sudo usermod -aG { $group } $USER` and log in again.
doctor-serial-found = Serial ports for buttons, card readers and printers: { $paths }.
doctor-serial-none = No buttons, card readers or printers are connected to a serial port.
doctor-serial-denied = You may not use the serial port { $path }. Run `sudo usermod -aG { $group } $USER` and log in again.
doctor-fine = Everything is fine.
doctor-problems = { $count ->
    [one] 1 problem must be solved.
   *[other] { $count } problems must be solved.
}
doctor-warnings = { $count ->
    [one] Everything works, with 1 warning.
   *[other] Everything works, with { $count } warnings.
}
cli-log-copy-copying = { $kind }: { $done } of { $count } copied
cli-log-copy-comparing = { $kind }: { $done } of { $count } compared
cli-log-copy-complete = Compared: { $target } now has everything that { $source } has.
cli-log-copy-conflict = Left as they are, because they differ in { $target } or are damaged: { $names }
cli-log-copy-changed = { $source } changed during the copy ({ $count ->
    [one] { $count } change
   *[other] { $count } changes
}): stop its server and repeat the command
cli-log-copy-pictures = Pictures
cli-log-copy-documents = Decks, tags, layouts and settings
cli-log-copy-access = Keys
cli-log-copy-rules = House rules
cli-log-copy-people = Changes of the people
cli-log-copy-pairings = Paired phones and machines
cli-log-copy-invitations = Invitations
cli-log-copy-scans = Scans
cli-log-copy-tables = Tables
cli-log-nightly = Backed up to { $file }.
cli-log-unchanged = Nothing has changed since the last backup.
cli-log-restored = Restored { $contents } of { $time } into { $folder }.
cli-log-contents = { $scans } scans, { $tables } tables with { $events } events and { $pictures } pictures
cli-mat-corners = { $file }: four corner cards on { $paper } paper, { $width } × { $height } mm.
cli-mat-whole = { $file }: a mat on { $paper } paper, { $width } × { $height } mm.
cli-labels = { $pages ->
    [one] { $file }: { $stickers } stickers of { $width } × { $height } mm on { $pages } { $paper } page.
   *[other] { $file }: { $stickers } stickers of { $width } × { $height } mm on { $pages } { $paper } pages.
}
cli-scan-worker-started = Reading photographs for the servers; { $count } are waiting. Ctrl-C stops after the current one.
cli-scan-worker-stopping = Stopping after the current photograph. Ctrl-C again stops at once; another worker then reads it.
cli-scan-worker-read = { $image }: { $count ->
    [one] { $count } card
   *[other] { $count } cards
 }, { $ms } ms
cli-scan-worker-refused = { $image }: { $reason }
cli-decks-export = { $deck } written to { $file }
cli-decks-import = { $deck } added as { $file }
cli-decks-forget = { $deck } removed: { $file }
cli-rules-not-json = the rules file { $file } is not JSON: { $error }
cli-calibrate-source-unreadable = { $source } cannot be read: { $reason }; SRC is a picture file, a camera's number, or its address
cli-mat-no-paper = there is no mat for { $paper } paper{ $hint }
cli-watch-layout-unreadable = the layout { $file } cannot be read: { $error }
cli-serve-players = --players has { $count } names, but { $game } with the rules { $rules } needs { $seats } players
cli-serve-seats = { $min } to { $max }
cli-serve-port = cannot listen on { $host } port { $port }: { $reason }. If another program (perhaps another companion serve) uses the port, stop it or choose another port with { $option }
cli-calibrate-markers = The table is registered by its corner markers
cli-calibrate-corners = The table is registered by four corners
cli-calibrate-cards = The table is registered by the cards on it
cli-print-preview = { $file }: { $width } × { $height } dots, { $mm } mm of paper.

cli-replay-no-record = not a round record
cli-replay-legal = legal
cli-replay-illegal = illegal
cli-replay-agrees = , result agrees
cli-replay-disagrees = , result does not agree
cli-replay-not-over = not over, { $player } to move
cli-replay-result = result
cli-replay-turn = turn { $number }
cli-replay-deal = deal
cli-replay-illegal-count = { $count } with illegal moves
cli-replay-disagreeing-count = { $count } whose result does not agree
cli-replay-unreadable-count = { $count } { PLURAL($count, "line that is not a record/lines that are not records") }
cli-replay-all-good = { $rounds }: all legal, no result disagrees
cli-decks-unusable = cannot be used: { $problem }
cli-decks-shipped = { $count } { $pack } cards, shipped { $date }
cli-decks-enrolled = { $count } { $pack } cards, enrolled { $date }
cli-decks-content = { $prototypes } prototypes, { $pictures } pictures
cli-decks-pack = { $count } cards, { $first } to { $last }
client-no-answer = { $url } does not answer: { $reason }
client-not-companion = { $url } did not respond with a JSON object: check that it is the address of `companion serve`
client-bad-address = { $url } is not a server's address; an example is http://192.168.0.7:8420
client-bad-table-address = { $url } is not a table's address: copy it from the table's page (http://.../t/...)
source-folder-empty = the folder { $folder } contains no pictures (JPEG, PNG, WebP, HEIC): choose a folder of frames
source-bad-times = { $file } does not contain the times of the frames ({ $error }): delete the file, or use --fps
source-no-video = { $file } cannot be opened as a video: use a video file (MP4, MKV, WebM, AVI), a folder of frames, a camera's number or an address
recording-exists = { $folder } already contains a recording: choose another folder
recording-not-written = cannot record to { $folder }: { $reason }
weights-missing = the weights { $file } are missing from { $folder }: install hanafuda-companion again
camera-hung = { $camera } has stopped responding { $count } times: restart the program
registration-file-version = it has format version { $version }, and this program reads version { $known }: run companion calibrate again
registration-file-invalid = it is not the registration of a table: run companion calibrate again
registration-file-missing = no table was registered here ({ $file }); run companion calibrate without --check first
