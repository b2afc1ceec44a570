"""Authorities and certificates of a test, made by openssl."""

import pathlib
import subprocess


def openssl(*args, text=""):
    subprocess.run(["openssl", *map(str, args)], check=True, capture_output=True, input=text,
                   text=True)


class Ca:
    """An authority of its own; makes certificates for 127.0.0.1 and localhost."""

    def __init__(self, folder, name):
        self.folder, self.name = pathlib.Path(folder), name
        self.cert, self.key = self.folder / f"{name}.pem", self.folder / f"{name}.key"
        openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                "-keyout", self.key, "-out", self.cert, "-days", 2, "-subj", f"/CN={name}")

    def issue(self, name, *more, names="IP:127.0.0.1,DNS:localhost"):
        """`name.pem` and `name.key`, put in place at once as a renewer does."""
        cert, key = self.folder / f"{name}.pem", self.folder / f"{name}.key"
        new_cert, new_key = (pathlib.Path(f"{p}.new") for p in (cert, key))
        ask = self.folder / "ask"
        openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout",
                new_key, "-out", ask, "-subj", f"/CN={name}")
        extra = self.folder / "extra"
        extra.write_text(f"subjectAltName={names}\n")
        openssl("x509", "-req", "-in", ask, "-CA", self.cert, "-CAkey", self.key,
                "-CAcreateserial", "-out", new_cert, "-extfile", extra, *(more or ("-days", 2)))
        new_key.rename(key)
        new_cert.rename(cert)
        return str(cert), str(key)
