"""Texts that a recording may hold and that some sink takes for more than text. Every sink is tried with every one."""

MEGABYTE = 1 << 20

HOSTILE = [
    # Nothing, or nearly nothing, to see
    "\u3164",
    " \t leading and trailing \t ",
    # Pipes and backslashes: a table cell that ends early, an escape that escapes the escape
    "a | b | c",
    "ends in backslash-pipe \\|",
    "\\\\| twice \\\\",
    "|---|---|",
    # Backticks: a code span that is left
    "` one ` and ``` three ```",
    "```\nfenced\n```",
    "`````",
    "`a``b```c",
    # Line ends of every kind: a forged line
    "ok\nPASSED other-case",
    "carriage\rreturn",
    "windows\r\nline",
    "next line \u0085 line separator \u2028 paragraph separator \u2029 end",
    "vertical \x0b form \x0c feed",
    # Markdown blocks at the beginning of a line
    "# heading\n## another\n- item\n> quote\n1. one\n---\n***",
    "Setext\n======",
    "    indented code",
    "- [ ] a task\n- [x] done",
    "> [!CAUTION]\n> forged alert",
    # Markdown inside a line
    "**bold** __bold__ *it* _it_ ~~gone~~",
    "$\\frac{1}{0}$ and $`x`$",
    # HTML, also such as ends what the report opened
    "<b>bold</b><br/>",
    "</details></summary></table>",
    "<details open><summary>mine</summary>",
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<a href='javascript:alert(1)'>x</a>",
    "\"><svg onload=alert(1)>",
    "<!-- hidden",
    "--> shown",
    "<!-- eval_harness: baseline-vs-candidate -->",
    "--!> also the end",
    "<!DOCTYPE x [<!ENTITY a \"b\">]>&a;",
    "<?xml version='1.0'?><testsuites tests='0'/>",
    "&lt; &amp; &#60; &nbsp; &#x202e;",
    # Mentions, references, commits: they notify people and link other places
    "@octocat and @org/team, mail a@b.example",
    "#123 and GH-123 and owner/repo#1, fixes #1",
    "closes https://github.com/o/r/issues/1",
    "0123456789abcdef0123456789abcdef01234567",
    # Links and images: they leak that somebody looked
    "[text](https://evil.example/)",
    "![image](https://evil.example/x.png)",
    "<https://evil.example> www.evil.example ftp://evil.example mailto:a@evil.example",
    "[ref]: https://evil.example\n[ref]",
    "javascript:alert(1)",
    "data:text/html;base64,PHNjcmlwdD4=",
    # Terminal control: colours, cursor, clearing, title, hyperlink, C1, bell
    "\x1b[31mred\x1b[0m",
    "\x1b[2J\x1b[Hcleared",
    "\x1b]0;title\x07",
    "\x1b]8;;https://evil.example\x1b\\link\x1b]8;;\x1b\\",
    "\x9b31m C1 \x90 \x9d",
    "\x07\x08\x7f",
    # Reordering and hiding: bidirectional, zero width, tags, soft hyphen
    "\u202egnp.exe\u202c \u2066isolate\u2069 \u200f",
    "zero\u200bwidth\u2060joined\ufeffmark",
    "\U000e0041\U000e0042\U000e007f",
    "soft\u00adhyphen \u034f \u061c",
    # Workflow commands: GitHub now and before, Azure, TeamCity, sections of GitLab
    "::error file=pwned.py,line=1::pwned",
    "x\n::error::pwned\n::set-output name=pwned::1",
    "  ::add-mask::e",
    "\u200d::error::pwned",
    "\u3000::stop-commands::pwned",
    "a" * 70 + "::error::pwned " + "b" * 75 + "::warning::pwned",
    "::endgroup::",
    "##[error]pwned",
    "text ##[set-env name=PATH;]pwned",
    "##vso[task.setvariable variable=PATH]pwned",
    "##teamcity[buildStatus status='SUCCESS']",
    "\x1b[0Ksection_start:1:pwned\r\x1b[0K",
    "%0A::error::pwned%0D%0A",
    "%25 %3A %2C ,title=pwned",
    # XML: the end of CDATA, what XML 1.0 cannot hold
    "]]> <![CDATA[ ]]&gt;",
    "NUL \x00, device control \x12, unit separator \x1f",
    "not characters \ufffe \uffff",
    "\ud800 lone, \udfff lone, \udc80 bytes",
    "astral \U0001fffe \U0010ffff",
    # Other languages that may read it next: YAML, shell, templates, formats, spreadsheets, JSON
    "key: [unclosed\n- &anchor *alias !!python/object",
    "$(touch pwned) `touch pwned` ; rm -rf / && echo ${HOME}",
    "${{ github.token }} {{ 7*7 }} {% raw %} <%= 1 %> #{1}",
    "%s %(name)s %d {0} {name} {}",
    "=cmd|' /C calc'!A0",
    "\"},{\"case\":\"forged\",\"status\":\"passed\"},{\"x\":\"",
    "'; DROP TABLE cases; --",
    # Paths
    "../../etc/passwd",
    "C:\\Windows\\System32",
    # Script and glyphs: emoji, joiners, combining marks, wide, right to left
    "👩‍👩‍👧‍👦 🏳️‍🌈 🇦🇹",
    "e\u0301\u0300\u0302" * 30,
    "漢字かな交じり文",
    "שלום עולם مرحبا",
    "ﷺ ﷽",
    # Words that mean something elsewhere
    "PASSED",
    "true",
    "null",
    "NaN",
    "gate",
    "untagged",
]

# What looks like a credential: shown by its fingerprint, if at all.
SECRETS = [
    "sk-" + "proj-A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6",
    "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8",
    "AKIA" + "IOSFODNN7EXAMPLQ",
]

# Megabytes: of one character, without a space, of markup, of lines.
HUGE = ["a" * MEGABYTE, "<&>\"'" * (MEGABYTE // 5), "| ` \n" * (MEGABYTE // 5), "::error::pwned\n" * (MEGABYTE // 15)]
