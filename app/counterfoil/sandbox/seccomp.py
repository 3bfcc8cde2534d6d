"""The system-call filter of sandboxes, emitted as classic BPF from one table: no compiled library is needed.

It is a deny-list: the namespace is the wall, and this trims what of the kernel can be reached from inside. The layout of a program is
that of `struct sock_filter` (linux/filter.h), eight bytes an instruction; arguments are compared by their low 32 bits, as the kernel does.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import struct
from dataclasses import dataclass
from typing import Final

# name: number on x86_64, number on aarch64; None where the architecture has no such call.
_CALLS: Final[dict[str, tuple[int | None, int | None]]] = {
    "accept": (43, 202), "accept4": (288, 242), "acct": (163, 89), "add_key": (248, 217), "adjtimex": (159, 171),
    "bind": (49, 200), "bpf": (321, 280), "chmod": (90, None), "chown": (92, None), "chroot": (161, 51),
    "clock_adjtime": (305, 266), "clock_settime": (227, 112), "clone": (56, 220), "clone3": (435, 435), "connect": (42, 203),
    "creat": (85, None), "delete_module": (176, 106), "execve": (59, 221), "execveat": (322, 281),
    "fanotify_init": (300, 262), "fanotify_mark": (301, 263), "fchmod": (91, 52), "fchmodat": (268, 53),
    "fchmodat2": (452, 452), "fchown": (93, 55), "fchownat": (260, 54), "file_setattr": (469, 469),
    "finit_module": (313, 273), "fremovexattr": (199, 16), "fsconfig": (431, 431), "fsetxattr": (190, 7), "fsmount": (432, 432),
    "fsopen": (430, 430), "fspick": (433, 433), "futimesat": (261, None), "init_module": (175, 105), "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427), "io_uring_setup": (425, 425), "ioctl": (16, 29), "ioperm": (173, None), "iopl": (172, None),
    "kcmp": (312, 272), "kexec_file_load": (320, 294), "kexec_load": (246, 104), "keyctl": (250, 219), "lchown": (94, None),
    "listen": (50, 201), "lookup_dcookie": (212, 18), "lremovexattr": (198, 15), "lsetxattr": (189, 6), "mbind": (237, 235),
    "memfd_create": (319, 279), "memfd_secret": (447, 447), "migrate_pages": (256, 238), "mknod": (133, None), "mknodat": (259, 33),
    "modify_ldt": (154, None), "mount": (165, 40), "mount_setattr": (442, 442), "move_mount": (429, 429),
    "move_pages": (279, 239), "name_to_handle_at": (303, 264), "nfsservctl": (180, 42), "open": (2, None), "openat": (257, 56),
    "open_by_handle_at": (304, 265), "open_tree": (428, 428), "open_tree_attr": (467, 467), "openat2": (437, 437),
    "perf_event_open": (298, 241), "pidfd_getfd": (438, 438), "pivot_root": (155, 41), "process_madvise": (440, 440),
    "process_vm_readv": (310, 270), "process_vm_writev": (311, 271), "ptrace": (101, 117), "quotactl": (179, 60),
    "quotactl_fd": (443, 443), "reboot": (169, 142), "removexattr": (197, 14), "removexattrat": (466, 466),
    "request_key": (249, 218), "set_mempolicy": (238, 237), "set_mempolicy_home_node": (450, 450), "setdomainname": (171, 162),
    "sethostname": (170, 161), "setns": (308, 268), "settimeofday": (164, 170), "setxattr": (188, 5), "setxattrat": (463, 463),
    "shmget": (29, 194),
    "socket": (41, 198), "socketpair": (53, 199), "swapoff": (168, 225), "swapon": (167, 224), "_sysctl": (156, None),
    "sysfs": (139, None), "syslog": (103, 116), "umount2": (166, 39), "unshare": (272, 97), "uselib": (134, None),
    "userfaultfd": (323, 282), "ustat": (136, None), "utime": (132, None), "utimensat": (280, 88), "utimes": (235, None),
    "vhangup": (153, 58),
}  # fmt: skip
_UNKNOWN = """
    clone3 openat2 io_uring_setup io_uring_enter io_uring_register userfaultfd memfd_secret
""".split()
_REFUSED = """
    mount umount2 pivot_root chroot unshare setns open_tree open_tree_attr move_mount fsopen fsconfig fsmount fspick mount_setattr
    ptrace process_vm_readv process_vm_writev process_madvise kcmp pidfd_getfd
    bpf perf_event_open keyctl add_key request_key kexec_load kexec_file_load init_module finit_module delete_module
    name_to_handle_at open_by_handle_at quotactl quotactl_fd swapon swapoff acct reboot syslog
    iopl ioperm modify_ldt clock_settime clock_adjtime settimeofday adjtimex sethostname setdomainname vhangup
    uselib ustat sysfs _sysctl lookup_dcookie nfsservctl fanotify_init fanotify_mark
    move_pages mbind set_mempolicy set_mempolicy_home_node migrate_pages
""".split()
_SOCKETS = "socket connect bind listen accept accept4".split()
# A workflow needs one socket, which it has, no program but its own, and no memory that belongs to no process.
_PROGRAMS = ["execve", "execveat"]
_MEMORY_OF_NOBODY = ["memfd_create", "shmget"]
# Landlock does not cover these; told that they worked, programs go on, and nothing has changed.
_PRETENDED = """
    chmod fchmod fchmodat fchmodat2 chown fchown lchown fchownat utime utimes utimensat futimesat file_setattr
    setxattr lsetxattr fsetxattr setxattrat removexattr lremovexattr fremovexattr removexattrat
""".split()

_ALLOW, _KILL, _ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
_LOAD, _EQUAL, _AT_LEAST, _ANY_OF, _AND, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x54, 0x06
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16  # offsets in struct seccomp_data
_NAMESPACES = 0x7E020080  # every CLONE_NEW flag
_TYPING = (0x5412, 0x541C, 0x541D)  # TIOCSTI, TIOCLINUX, TIOCCONS: they put words into a terminal
_SPECIAL = 0o6000  # setuid, setgid
_CREATES = 0o100 | 0o20000000  # O_CREAT, and the bit of O_TMPFILE
_SECCOMP = {"x86_64": 317, "aarch64": 277}


@dataclass(frozen=True, slots=True)
class Architecture:
    """What a program is emitted for: its audit number, the column of the table, and where the x32 calls begin."""

    name: str
    audit: int
    column: int
    x32: int | None


_ARCHITECTURES = {
    "x86_64": Architecture("x86_64", 0xC000003E, 0, 0x40000000),
    "aarch64": Architecture("aarch64", 0xC00000B7, 1, None),
}


class UnknownArchitecture(Exception):
    """There is no table for this processor, so nothing is filtered and nothing may be run as filtered."""


def architecture(name: str | None = None) -> Architecture:
    """The architecture with a name, or that of this computer.

    Raises:
        UnknownArchitecture: there is no table for it, or this Python runs in 32 bits.
    """
    found = _ARCHITECTURES.get(name or platform.machine())
    if found is None or struct.calcsize("P") != 8:
        raise UnknownArchitecture(name or platform.machine())
    return found


class _Program:
    """Instructions as they are added. Every rule ends with the call's number in the accumulator."""

    def __init__(self, machine: Architecture) -> None:
        self._machine = machine
        self._lines: list[tuple[int, int, int, int]] = []

    def add(self, code: int, value: int, yes: int = 0, no: int = 0) -> None:
        self._lines.append((code, yes, no, value))

    def number(self, name: str) -> int | None:
        return _CALLS[name][self._machine.column]

    def begin(self) -> None:
        """Another architecture's calls have other numbers: end the process."""
        self.add(_LOAD, _ARCHITECTURE)
        self.add(_EQUAL, self._machine.audit, 1, 0)
        self.add(_RETURN, _KILL)
        self.add(_LOAD, _NUMBER)
        if self._machine.x32 is not None:
            self.add(_AT_LEAST, self._machine.x32, 0, 1)
            self.add(_RETURN, _ERRNO | errno.ENOSYS)

    def answer(self, names: list[str], code: int) -> None:
        """These calls fail with an errno; 0 pretends that they worked."""
        for name in names:
            number = self.number(name)
            if number is not None:
                self.add(_EQUAL, number, 0, 1)
                self.add(_RETURN, _ERRNO | code)

    def when(self, names: list[str], rule: list[tuple[int, int, int, int]]) -> None:
        """For these calls go through a rule: it returns, or falls through its end."""
        for name in names:
            number = self.number(name)
            if number is not None:
                self.add(_EQUAL, number, 0, len(rule) + 1)
                self._lines += rule
                self.add(_LOAD, _NUMBER)

    def end(self) -> bytes:
        self.add(_RETURN, _ALLOW)
        return b"".join(struct.pack("=HBBI", *line) for line in self._lines)


def _argument(index: int) -> tuple[int, int, int, int]:
    return (_LOAD, 0, 0, _ARGUMENTS + 8 * index)


def _fail(code: int) -> tuple[int, int, int, int]:
    return (_RETURN, 0, 0, _ERRNO | code)


def _if_any(index: int, bits: int) -> list[tuple[int, int, int, int]]:
    """EPERM when an argument has any of these bits."""
    return [_argument(index), (_ANY_OF, 0, 1, bits), _fail(errno.EPERM)]


def _if_equal(index: int, values: tuple[int, ...]) -> list[tuple[int, int, int, int]]:
    rule = [_argument(index)]
    for value in values:
        rule += [(_EQUAL, 0, 1, value), _fail(errno.EPERM)]
    return rule


def _creating(flags: int) -> list[tuple[int, int, int, int]]:
    """EPERM when a file would be made with a special bit; the mode stands behind the flags."""
    return [_argument(flags), (_ANY_OF, 0, 3, _CREATES), *_if_any(flags + 1, _SPECIAL)]


def _regular_only(mode: int) -> list[tuple[int, int, int, int]]:
    return [
        *_if_any(mode, _SPECIAL),
        _argument(mode),
        (_AND, 0, 0, 0o170000),
        (_EQUAL, 2, 0, 0),
        (_EQUAL, 1, 0, 0o100000),
        _fail(errno.EPERM),
    ]


def _families() -> list[tuple[int, int, int, int]]:
    """Unix and internet sockets (there is no network to reach), and the routing view that some runtimes list interfaces by."""
    return [
        _argument(0),
        (_EQUAL, 6, 0, 1),
        (_EQUAL, 5, 0, 2),
        (_EQUAL, 4, 0, 10),
        (_EQUAL, 0, 2, 16),
        _argument(2),
        (_EQUAL, 1, 0, 0),
        _fail(errno.EAFNOSUPPORT),
    ]


def _one_pair() -> list[tuple[int, int, int, int]]:
    """Only connected Unix streams, as an event loop makes for itself."""
    return [
        _argument(0),
        (_EQUAL, 0, 3, 1),
        _argument(1),
        (_AND, 0, 0, 0xF),
        (_EQUAL, 1, 0, 1),
        _fail(errno.EPERM),
    ]


def outer(name: str | None = None) -> bytes:
    """The program that every sandbox runs under from its first instruction.

    Raises:
        UnknownArchitecture: there is no table for it.
    """
    program = _Program(architecture(name))
    program.begin()
    program.answer(_UNKNOWN, errno.ENOSYS)
    program.answer(_REFUSED, errno.EPERM)
    program.when(["clone"], _if_any(0, _NAMESPACES))
    program.when(["ioctl"], _if_equal(1, _TYPING))
    program.when(["chmod", "fchmod", "creat"], _if_any(1, _SPECIAL))
    program.when(["fchmodat", "fchmodat2"], _if_any(2, _SPECIAL))
    program.when(["open"], _creating(1))
    program.when(["openat"], _creating(2))
    program.when(["mknod"], _regular_only(1))
    program.when(["mknodat"], _regular_only(2))
    program.when(["socket"], _families())
    return program.end()


def inner(name: str | None = None, *, programs: bool = False, walls: bool = True) -> bytes:
    """What a sandbox puts on itself before anybody else's code: no new socket, and unless it is there to run `programs`, none of them.

    Without `walls` (no namespace around it) changing modes, owners, times and attributes is told to have worked, and has not.

    Raises:
        UnknownArchitecture: there is no table for it.
    """
    program = _Program(architecture(name))
    program.begin()
    program.answer(_SOCKETS, errno.EPERM)
    program.when(["socketpair"], _one_pair())
    if not programs:
        program.answer(_PROGRAMS, errno.EPERM)
        program.answer(_MEMORY_OF_NOBODY, errno.ENOSYS)
    if not walls:
        program.answer(_PRETENDED, 0)
    return program.end()


class _FilterProgram(ctypes.Structure):
    _fields_ = [("len", ctypes.c_ushort), ("filter", ctypes.c_void_p)]


def install(program: bytes) -> None:
    """Put a program on this thread and all that it starts, for good; call it before there is a second thread.

    Raises:
        OSError: the kernel does not take it.
    """
    libc = ctypes.CDLL(None, use_errno=True)
    held = ctypes.create_string_buffer(program, len(program))
    filled = _FilterProgram(len(program) // 8, ctypes.cast(held, ctypes.c_void_p))
    number = _SECCOMP[architecture().name]
    if libc.prctl(38, 1, 0, 0, 0) or libc.syscall(number, 1, 0, ctypes.byref(filled)):  # PR_SET_NO_NEW_PRIVS
        raise OSError(ctypes.get_errno(), f"no filter of system calls: {os.strerror(ctypes.get_errno())}")
