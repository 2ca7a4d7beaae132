exports.d = 1;
