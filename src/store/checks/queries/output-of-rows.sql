if(lengthUTF8(test_context_raw) <= {outputRead:UInt32} + {outputEndRead:UInt32},
        test_context_raw,
        concat(
            substringUTF8(test_context_raw, 1, {outputRead:UInt32}),
            {outputCut:String},
            substringUTF8(test_context_raw, -toInt64({outputEndRead:UInt32}))))
