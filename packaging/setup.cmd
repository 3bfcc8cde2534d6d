@echo off
rem What start.cmd and test.cmd share: the twin of packaging/setup.sh. Not yet run on a Windows machine.
rem usage, in the root of the checkout: call packaging\setup.cmd start ^| test
rem The stamp of a complete set-up is a copy of the lock in .venv; .venv\.unfinished means that one was interrupted.
setlocal EnableExtensions
set "KIND=%~1"
set "LOCK=packaging\requirements.lock"
if "%KIND%"=="test" set "LOCK=packaging\requirements-dev.lock"
set "STAMP=.venv\prepared-%KIND%.lock"

if exist .venv\.unfinished goto interrupted
if not exist "%STAMP%" goto look
fc /b "%LOCK%" "%STAMP%" >nul 2>&1
if errorlevel 1 goto look
.venv\Scripts\python.exe -V >nul 2>&1
if errorlevel 1 goto look
exit /b 0

:interrupted
>&2 echo counterfoil: an earlier set-up was interrupted; making .venv anew
rmdir /s /q .venv

:look
if not exist .venv goto find
.venv\Scripts\python.exe -c "import pip, sys; sys.exit(sys.version_info < (3, 11))" >nul 2>&1
if not errorlevel 1 goto fill
>&2 echo counterfoil: .venv does not work on this machine; making it anew
rmdir /s /q .venv

:find
set "PYTHON="
for %%V in (3.13 3.12 3.11) do call :try "py -%%V"
call :try "python"
if defined PYTHON goto make
>&2 echo counterfoil: Python 3.11 or newer is missing; install it, then try again:
>&2 echo   winget install Python.Python.3.13
exit /b 1

:make
>&2 echo counterfoil: making .venv with %PYTHON%
mkdir .venv
type nul >.venv\.unfinished
%PYTHON% -m venv .venv 1>&2
if errorlevel 1 exit /b 1

:fill
type nul >.venv\.unfinished
del /q .venv\prepared-*.lock >nul 2>&1
>&2 echo counterfoil: installing the Python packages of %LOCK% into .venv
.venv\Scripts\python.exe -m pip install --quiet --quiet --no-input --disable-pip-version-check --progress-bar off --only-binary :all: --require-hashes --no-deps -r "%LOCK%" 1>&2
if errorlevel 1 (
  >&2 echo counterfoil: pip could not install the locked packages; its own words are above. Once that is mended, try again.
  exit /b 1
)
rem The project is read where it lies, so a change in the checkout needs no second set-up.
.venv\Scripts\python.exe -c "import pathlib, sysconfig; pathlib.Path(sysconfig.get_path('purelib'), 'counterfoil.pth').write_text(str(pathlib.Path('app').resolve()) + '\n', encoding='locale')"
if errorlevel 1 exit /b 1
>.venv\Scripts\counterfoil.cmd echo @"%%~dp0python.exe" -P -m counterfoil %%*
copy /y "%LOCK%" "%STAMP%" >nul
if errorlevel 1 exit /b 1
if "%KIND%"=="test" copy /y packaging\requirements.lock .venv\prepared-start.lock >nul
del /q .venv\.unfinished
>&2 echo counterfoil: set-up complete
exit /b 0

:try
if defined PYTHON exit /b 0
%~1 -c "import ensurepip, sqlite3, ssl, sys, venv; sys.exit(sys.version_info < (3, 11))" >nul 2>&1
if not errorlevel 1 set "PYTHON=%~1"
exit /b 0
