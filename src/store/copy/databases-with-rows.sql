-- Databases in which the bot has stored something, by their parts: a folder may have several.
SELECT DISTINCT database
FROM system.parts
WHERE active AND rows > 0 AND table IN {tables:Array(String)}
    AND database IN (SELECT database FROM system.tables WHERE name = 'migrations')
ORDER BY database
