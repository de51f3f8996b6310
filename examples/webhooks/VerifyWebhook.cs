// Verifies webhooks. In ASP.NET Core, read the body before anything binds it:
//   using var reader = new StreamReader(request.Body);
//   var body = await reader.ReadToEndAsync();
//   if (!VerifyWebhook.IsGenuine(body, name => request.Headers[name], secret, DateTimeOffset.UtcNow)) return Results.BadRequest();
using System;
using System.Linq;
using System.Security.Cryptography;
using System.Text;

public static class VerifyWebhook
{
    private const int ToleranceSeconds = 300;

    /// <summary>True when the secret signed exactly this body, at most five minutes ago.</summary>
    public static bool IsGenuine(string body, Func<string, string> header, string secret, DateTimeOffset now)
    {
        var id = header("webhook-id");
        var timestamp = header("webhook-timestamp");
        var signatures = header("webhook-signature");
        long seconds;
        if (string.IsNullOrEmpty(id) || string.IsNullOrEmpty(signatures) || !long.TryParse(timestamp, out seconds)) return false;
        if (Math.Abs(now.ToUnixTimeSeconds() - seconds) > ToleranceSeconds) return false;
        var key = Convert.FromBase64String(secret.StartsWith("whsec_") ? secret.Substring(6) : secret);
        using (var hmac = new HMACSHA256(key))
        {
            var expected = hmac.ComputeHash(Encoding.UTF8.GetBytes(id + "." + timestamp + "." + body));
            return signatures.Split(' ').Any(each => Fits(each, expected));
        }
    }

    private static bool Fits(string signature, byte[] expected)
    {
        if (!signature.StartsWith("v1,")) return false;
        byte[] given;
        try { given = Convert.FromBase64String(signature.Substring(3)); }
        catch (FormatException) { return false; }
        if (given.Length != expected.Length) return false;
        var difference = 0;
        for (var index = 0; index < given.Length; index++) difference |= given[index] ^ expected[index];
        return difference == 0;
    }
}
