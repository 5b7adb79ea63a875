-- repository_id is always 0: on a cluster the rows are spread by that column, as those of every table.
CREATE TABLE IF NOT EXISTS {{table:migrations}}
(
    repository_id UInt64,
    name          String,
    applied_at    DateTime64(3, 'UTC')
)
ENGINE = {{engine:ReplacingMergeTree(applied_at)}}
ORDER BY (repository_id, name);

CREATE TABLE IF NOT EXISTS {{distributed:migrations}};
