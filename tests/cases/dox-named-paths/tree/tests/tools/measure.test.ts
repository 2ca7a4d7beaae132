host.call("measure");
