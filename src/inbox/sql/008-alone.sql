-- What was in hand at three ends of the process in a row begins alone.
CREATE INDEX deliveries_alone ON deliveries (state, due_at) WHERE crashes >= 3;
CREATE INDEX triages_alone ON triages (state, due_at) WHERE crashes >= 3;
