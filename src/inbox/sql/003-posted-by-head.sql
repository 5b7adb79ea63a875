CREATE INDEX posted_by_head ON posted (repository_id, head);
