if(2 * countIf(source = 'own') >= count(), 'own', maxIf(source, source != 'own'))
