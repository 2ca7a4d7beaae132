host.call("measures");
