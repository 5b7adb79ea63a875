CREATE TABLE IF NOT EXISTS {{distributed:migrations}}
