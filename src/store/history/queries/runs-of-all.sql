{{runs WHERE 1}}
