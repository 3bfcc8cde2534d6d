@echo off
rem The twin of packaging/start for Windows. Not yet run on a Windows machine.
rem `packaging\start.cmd ARGS` is `counterfoil ARGS`; what set-up is missing is done first.
setlocal EnableExtensions
pushd "%~dp0.." || exit /b 1
set "CHECKOUT=%CD%"
call packaging\setup.cmd start
set "RESULT=%ERRORLEVEL%"
popd
if not "%RESULT%"=="0" exit /b %RESULT%
if not defined COUNTERFOIL_CALLED_AS set "COUNTERFOIL_CALLED_AS=%~0"
"%CHECKOUT%\.venv\Scripts\python.exe" -P -m counterfoil %*
exit /b %ERRORLEVEL%
