SELECT DISTINCT name FROM migrations WHERE repository_id = 0 ORDER BY name
